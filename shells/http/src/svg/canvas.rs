//! An image in the making: shapes and text, one element a line, all lengths whole pixels.

use core::fmt::Write as _;

/// Elements of an image, drawn from back to front.
#[derive(Default)]
pub(super) struct Canvas {
    elements: String,
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

/// Where a text stands to its place.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Canvas {
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
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x},{y}")).collect();
        self.push(format_args!("<polygon points=\"{}\" {}/>", points.join(" "), paint.attributes()));
    }

    pub(super) fn line(&mut self, (x1, y1): Point, (x2, y2): Point, stroke: &'static str, width: i32) {
        let stroke = format!("stroke=\"{stroke}\" stroke-width=\"{width}\"");
        self.push(format_args!("<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" {stroke}/>"));
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

    fn push(&mut self, element: core::fmt::Arguments<'_>) {
        let _ = writeln!(self.elements, "{element}");
    }

    /// The whole image, which needs nothing else.
    pub(super) fn finish(self, (width, height): (i32, i32), background: &str, title: &str) -> String {
        let title = escaped(title);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\" font-family=\"system-ui, sans-serif\">\n<title>{title}</title>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"{background}\"/>\n{}</svg>\n",
            self.elements
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
        let mut canvas = Canvas::default();
        canvas.text((1, 2), 10, Anchor::Start, "#000", "<a href='x'>&\u{1}\"\u{ffff}");
        let image = canvas.finish((3, 4), "#fff", "</title>");
        assert!(image.contains(">&lt;a href=&#39;x&#39;&gt;&amp; &quot;</text>"), "{image}");
        assert!(image.contains("<title>&lt;/title&gt;</title>"), "{image}");
    }
}
