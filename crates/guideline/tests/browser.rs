//! The page in a browser: no script error, charts drawn, no horizontal overflow, light and dark,
//! on a screen and on a telephone. Skipped where there is no Chromium, unless
//! `COMMLOOM_REQUIRE_BROWSER` demands one.

mod common;

use std::path::{Path, PathBuf};

use commloom_guideline::report::Report;
use commloom_testkit::browser::{browser, look};
use common::{campaign, unfair};
use resvg::tiny_skia::Pixmap;

/// Looks at the page inside the frame and tells what it sees: every folded part is opened before.
const PROBE: &str = r##"<script>
//<![CDATA[
(function () {
  const errors = [];
  window.addEventListener("error", (event) => errors.push(event.message));
  window.addEventListener("load", () => {
    document.querySelectorAll("details").forEach((part) => { part.open = true; });
    requestAnimationFrame(() => {
      const root = document.documentElement;
      const all = (selector) => Array.from(document.querySelectorAll(selector));
      const seen = (element) => {
        const box = element.getBoundingClientRect();
        return box.width > 0 && box.height > 0;
      };
      const count = (selector) => all(selector).filter(seen).length;
      const select = document.querySelector("select[name=guideline]");
      select.selectedIndex = 1;
      select.dispatchEvent(new Event("change"));
      const left = document.querySelectorAll("#violated tbody tr:not([hidden])").length;
      document.querySelector("#violated th").click();
      const factors = all("#violated tbody td.n i").map((i) => Number(i.textContent));
      document.querySelectorAll("details.test").forEach((part, k) => { part.open = k === 0; });
      document.querySelectorAll("figure details").forEach((part) => { part.open = false; });
      parent.postMessage("probe width=" + innerWidth
        + " overflow=" + (root.scrollWidth - root.clientWidth)
        + " bars=" + count("svg.chart rect") + " cells=" + count("svg.heat rect")
        + " filtered=" + left + " sorted=" + (factors[0] === Math.min(...factors))
        + " background=" + getComputedStyle(document.body).backgroundColor
        + " errors=" + errors.join("; ") + " end", "*");
    });
  });
})();
//]]>
</script>"##;

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guideline-page");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

#[test]
fn a_browser_draws_the_page_on_screens_and_telephones() {
    let Some(browser) = browser() else { return };
    let files = [campaign("MPICH", "4.0.2", 5, unfair), campaign("Open MPI", "4.1.4", 5, unfair)];
    let report = Report::of(&[&files[0], &files[1]]);
    let page = report.html();
    let bars = page.matches("<rect class=\"s").count();
    let cells = page.matches("<rect class=\"f").count();
    let folder = folder();
    let probed = page.replacen("<head>", &format!("<head>{PROBE}"), 1);
    std::fs::write(folder.join("page.html"), probed).expect("a file");
    for (width, height) in [(1280, 2000), (390, 2000)] {
        for dark in [false, true] {
            let look = look(browser, &folder, (width, height), dark);
            let (shown, number) = (&look.told, |name| look.number(name));
            assert!(shown.contains(" errors= end"), "{shown}");
            assert_eq!(number("width"), width as usize);
            assert_eq!(number("overflow"), 0, "{width} pixels");
            assert_eq!([number("bars"), number("cells")], [bars, cells]);
            assert!(number("filtered") > 0 && number("filtered") < report.judgements.len());
            assert_eq!(look.value("sorted"), "true", "{shown}");
            let background = if dark { "rgb(20, 24, 29)" } else { "rgb(255, 255, 255)" };
            assert!(shown.contains(&format!("background={background}")), "{shown}");
            let picture = Pixmap::decode_png(&look.picture).expect("a PNG file");
            let first = picture.pixels()[0];
            assert_eq!(
                first.red() < 100,
                dark,
                "the page is {}",
                if dark { "dark" } else { "light" }
            );
            let drawn = picture.pixels().iter().filter(|&&pixel| pixel != first).count();
            assert!(drawn * 50 > picture.pixels().len(), "only {drawn} pixels are drawn");
        }
    }
}
