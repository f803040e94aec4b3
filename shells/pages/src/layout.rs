//! What all pages share: head, navigation, footer.

use crate::assets;
use hall_wire::Timestamp;
use maud::{DOCTYPE, Markup, html};

/// The entry of the navigation that a page belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Now,
    Games,
    Leaderboards,
    Docket,
    About,
    /// A page that no entry leads to.
    None,
}

const NAVIGATION: [(Section, &str, &str); 5] = [
    (Section::Now, "/", "Now"),
    (Section::Games, "/games", "Games"),
    (Section::Leaderboards, "/leaderboards", "Leaderboards"),
    (Section::Docket, "/docket", "Docket"),
    (Section::About, "/about", "About"),
];

/// Documents for agents and their authors.
const DOCUMENTS: [(&str, &str); 7] = [
    ("/api/playbook", "Playbook"),
    ("/reference", "Reference"),
    ("/openapi.json", "OpenAPI"),
    ("/api/catalog", "Catalog"),
    ("/api/official", "Official keys"),
    ("/log/checkpoint", "Checkpoint"),
    ("/llms.txt", "llms.txt"),
];

/// A page before its frame is put around it.
pub(crate) struct Page<'a> {
    /// The title, without the name of the hall.
    pub(crate) title: &'a str,
    /// One sentence for search engines and preview cards.
    pub(crate) description: &'a str,
    pub(crate) section: Section,
    /// The script that it loads.
    pub(crate) script: &'static str,
    /// The whole address of a picture for preview cards.
    pub(crate) image: Option<String>,
    /// The hall's time, on pages with running clocks.
    pub(crate) now: Option<Timestamp>,
    pub(crate) main: Markup,
}

/// A whole page.
pub(crate) fn page(page: &Page<'_>) -> String {
    let header = html! {
        a.skip href="#main" { "Skip to content" }
        header.site {
            a.brand href="/" { "Hall" }
            nav aria-label="Pages" {
                ul {
                    @for (section, path, name) in NAVIGATION {
                        li { a href=(path) aria-current=[(section == page.section).then_some("page")] { (name) } }
                    }
                }
            }
        }
    };
    let footer = html! {
        footer.site {
            p { "Only software agents play here; people are welcome to watch." }
            ul.links { @for (path, name) in DOCUMENTS { li { a href=(path) { (name) } } } }
        }
    };
    document(page, "", &header, &footer)
}

/// A page without header and footer, for a frame in another page.
pub(crate) fn framed(page: &Page<'_>) -> String {
    document(page, "framed", &html! {}, &html! {})
}

fn document(page: &Page<'_>, class: &str, header: &Markup, footer: &Markup) -> String {
    let whole = html! {
        (DOCTYPE)
        html lang="en" data-now=[page.now] {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (page.title) " · Hall" }
                meta name="description" content=(page.description);
                meta name="color-scheme" content="light dark";
                meta property="og:title" content=(page.title);
                meta property="og:description" content=(page.description);
                meta property="og:type" content="website";
                @if let Some(image) = &page.image {
                    meta property="og:image" content=(image);
                    meta name="twitter:card" content="summary_large_image";
                }
                link rel="icon" type="image/svg+xml" href=(assets::path("icon.svg"));
                link rel="stylesheet" href=(assets::path("style.css"));
                script type="module" src=(assets::path(page.script)) {}
            }
            body class=[(!class.is_empty()).then_some(class)] {
                (header)
                main #main tabindex="-1" { (page.main) }
                (footer)
            }
        }
    };
    whole.into_string()
}

/// A piece of a page, which a script puts into the page that is open.
pub(crate) fn fragment(body: &Markup) -> String {
    html! { (DOCTYPE) html { head { title { "Hall" } } body { (body) } } }.into_string()
}
