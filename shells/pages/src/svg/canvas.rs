//! An image in the making: shapes and text, one element a line, all lengths whole pixels.

use super::colours::{INK, PALE_INK};
use core::fmt::Write as _;

/// Elements of an image, drawn from back to front.
pub(super) struct Canvas {
    elements: String,
    /// The colours of words beside the board.
    ink: &'static str,
    pale_ink: &'static str,
}

/// A place on the canvas.
pub(super) type Point = (i32, i32);

/// How a shape is painted.
#[derive(Clone, Copy)]
pub(super) struct Paint {
    pub(super) fill: &'static str,
    pub(super) stroke: &'static str,
    pub(super) width: i32,
}

impl Paint {
    /// Filled, without a line around it.
    pub(super) const fn fill(fill: &'static str) -> Self {
        Self { fill, stroke: "none", width: 0 }
    }

    /// A line alone.
    pub(super) const fn line(stroke: &'static str, width: i32) -> Self {
        Self { fill: "none", stroke, width }
    }

    /// Filled, with a line around it.
    pub(super) const fn outlined(fill: &'static str, stroke: &'static str, width: i32) -> Self {
        Self { fill, stroke, width }
    }

    fn attributes(self) -> String {
        let Self { fill, stroke, width } = self;
        if width == 0 {
            return format!("fill=\"{fill}\"");
        }
        format!("fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"")
    }
}

/// How much words beside the board stand out.
#[derive(Clone, Copy)]
pub(super) enum Tone {
    Strong,
    Pale,
}

/// Where a text stands to its place.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Canvas {
    /// An image on a light ground.
    pub(super) const fn on_light() -> Self {
        Self { elements: String::new(), ink: INK, pale_ink: PALE_INK }
    }

    /// An image on a page, whatever its colours are.
    pub(super) const fn on_page() -> Self {
        Self { elements: String::new(), ink: "currentColor", pale_ink: "currentColor" }
    }

    pub(super) fn rect(&mut self, (x, y): Point, (width, height): (i32, i32), round: i32, paint: Paint) {
        self.push(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{round}\" {}/>",
            paint.attributes()
        ));
    }

    pub(super) fn circle(&mut self, (x, y): Point, radius: i32, paint: Paint) {
        self.push(format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" {}/>", paint.attributes()));
    }

    pub(super) fn polygon(&mut self, points: &[Point], paint: Paint) {
        let Some(((x, y), rest)) = points.split_first() else { return };
        let mut path = format!("M{x} {y}");
        let mut from = (*x, *y);
        for (x, y) in rest {
            let _ = write!(path, "l{} {}", x - from.0, y - from.1);
            from = (*x, *y);
        }
        path.push('z');
        self.path(&path, paint);
    }

    /// A path in the language of SVG.
    pub(super) fn path(&mut self, path: &str, paint: Paint) {
        self.push(format_args!("<path d=\"{path}\" {}/>", paint.attributes()));
    }

    /// A path in the coordinates of an outline, which is `percent` hundredths as large here and begins at `corner`.
    pub(super) fn placed_path(&mut self, path: &str, (x, y): Point, percent: i32, paint: Paint) {
        let (whole, part) = (percent / 100, percent % 100);
        self.push(format_args!(
            "<path d=\"{path}\" transform=\"translate({x} {y})scale({whole}.{part:02})\" {}/>",
            paint.attributes()
        ));
    }

    /// Words beside the board.
    pub(super) fn words(&mut self, at: Point, size: i32, anchor: Anchor, tone: Tone, text: &str) {
        let fill = match tone {
            Tone::Strong => self.ink,
            Tone::Pale => self.pale_ink,
        };
        self.text(at, size, anchor, fill, text);
    }

    /// A text whose base line is at `y`.
    pub(super) fn text(&mut self, (x, y): Point, size: i32, anchor: Anchor, fill: &'static str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = escaped(text);
        self.push(format_args!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{fill}\">{text}</text>"
        ));
    }

    /// What `draw` draws as one element, which a script finds by its name.
    pub(super) fn group(&mut self, name: &str, draw: impl FnOnce(&mut Self)) {
        let outer = std::mem::take(&mut self.elements);
        draw(self);
        let inner = std::mem::replace(&mut self.elements, outer).replace('\n', "");
        let name = escaped(name);
        self.push(format_args!("<g data-piece=\"{name}\">{inner}</g>"));
    }

    fn push(&mut self, element: core::fmt::Arguments<'_>) {
        let _ = writeln!(self.elements, "{element}");
    }

    /// The whole image as a file.
    pub(super) fn finish_file(self, size: Point, background: Option<&str>, title: &str) -> String {
        let (width, height) = size;
        let ground = background.map_or_else(String::new, |fill| {
            format!("<rect width=\"{width}\" height=\"{height}\" fill=\"{fill}\"/>\n")
        });
        let attributes = format!(
            "xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\""
        );
        self.finish(&attributes, &ground, title)
    }

    /// The whole image as a part of a page.
    pub(super) fn finish_inline(self, (width, height): Point, title: &str) -> String {
        self.finish(&format!("viewBox=\"0 0 {width} {height}\""), "", title)
    }

    /// The whole image as a part of a line of text, in its own size.
    pub(super) fn finish_row(self, (width, height): Point, title: &str) -> String {
        let attributes =
            format!("viewBox=\"0 0 {width} {height}\" width=\"{}\" height=\"{}\"", width / 2, height / 2);
        self.finish(&attributes, "", title)
    }

    fn finish(self, attributes: &str, ground: &str, title: &str) -> String {
        let title = escaped(title);
        let elements = self.elements;
        format!(
            "<svg {attributes} role=\"img\" font-family=\"system-ui, sans-serif\">\n<title>{title}</title>\n{ground}{elements}</svg>\n"
        )
    }
}

/// A text as XML has it; characters that XML does not know are left out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            control if control.is_control() => out.push(' '),
            '\u{fffe}' | '\u{ffff}' => {}
            plain => out.push(plain),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_markup_stands_in_an_image_as_text() {
        let mut canvas = Canvas::on_light();
        canvas.text((1, 2), 10, Anchor::Start, "#000", "<a href='x'>&\u{1}\"\u{ffff}");
        let image = canvas.finish_file((3, 4), Some("#fff"), "</title>");
        assert!(image.contains(">&lt;a href=&#39;x&#39;&gt;&amp; &quot;</text>"), "{image}");
        assert!(image.contains("<title>&lt;/title&gt;</title>"), "{image}");
    }
}
