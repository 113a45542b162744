//! `commloom detect --html`: the page stands for itself, and works in a browser: zoomed by wheel,
//! keys, buttons and two fingers, in light and dark, on a screen and on a telephone. Skipped where
//! there is no Chromium, unless `COMMLOOM_REQUIRE_BROWSER` demands one.

mod common;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use commloom_testkit::browser::{Look, browser, look};

/// Uses every picture of the page as a person would, and tells what happened.
const PROBE: &str = r##"<script>
//<![CDATA[
(function () {
  const errors = [];
  window.addEventListener("error", (event) => errors.push(event.message));
  window.addEventListener("unhandledrejection", (event) => {
    parent.postMessage("probe " + event.reason.stack, "*");
  });
  // Without a screen there are hardly any frames.
  window.requestAnimationFrame = (draw) => setTimeout(draw, 5);
  const frame = () => new Promise((done) => setTimeout(done, 20));
  window.addEventListener("load", async () => {
    const told = {};
    const canvases = Array.from(document.querySelectorAll("canvas"));
    for (let k = 0; k < 400 && !canvases.every((canvas) => canvas.dataset.view); k++) await frame();
    // On a busy machine the browser's own clock may run ahead of what it draws: then the next
    // attempt looks.
    if (!canvases.every((canvas) => canvas.dataset.view)) return;
    const inked = (canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      let inked = 0;
      for (let k = 3; k < data.length; k += 4) inked += data[k] > 0;
      return inked;
    };
    told.width = innerWidth;
    told.overflow = document.documentElement.scrollWidth - innerWidth;
    told.pictures = canvases.length;
    const isDrawn = (canvas) => inked(canvas) > 500 && Number(canvas.dataset.drawn) > 0;
    told.drawn = canvases.filter(isDrawn).length;
    const event = (canvas, Type, name, x, y, more) => {
      const box = canvas.getBoundingClientRect();
      const place = { clientX: box.x + x, clientY: box.y + y };
      canvas.dispatchEvent(new Type(name, { ...place, bubbles: true, cancelable: true, ...more }));
    };
    const press = (canvas, key) => {
      canvas.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
    };
    const span = (canvas) => {
      const [x0, x1] = canvas.dataset.view.split(" ").map(Number);
      return x1 - x0;
    };
    const changed = async (canvas, act) => {
      const before = canvas.dataset.view;
      await act();
      await frame();
      return canvas.dataset.view !== before;
    };
    told.wheel = told.ignored = told.keys = told.buttons = told.pinch = told.back = told.tips = 0;
    for (const canvas of canvases) {
      const whole = canvas.dataset.view;
      const middle = [canvas.clientWidth / 2, canvas.clientHeight / 2];
      const wheel = () => event(canvas, WheelEvent, "wheel", ...middle, { deltaY: -300 });
      // The wheel belongs to the page until the picture was chosen.
      told.ignored += !(await changed(canvas, wheel));
      canvas.focus();
      const before = span(canvas);
      await changed(canvas, wheel);
      told.wheel += span(canvas) < before;
      press(canvas, "0");
      await frame();
      told.keys += await changed(canvas, () => press(canvas, "+"));
      told.back += await changed(canvas, () => press(canvas, "Home"))
        && canvas.dataset.view === whole;
      const figure = canvas.closest("figure");
      told.buttons += await changed(canvas, () => figure.querySelector("[data-do=in]").click());
      figure.querySelector("[data-do=reset]").click();
      await frame();
      told.pinch += await changed(canvas, () => {
        const touch = (name, id, x) => {
          const more = { pointerId: id, pointerType: "touch" };
          event(canvas, PointerEvent, name, x, middle[1], more);
        };
        touch("pointerdown", 11, middle[0] - 20);
        touch("pointerdown", 12, middle[0] + 20);
        touch("pointermove", 11, middle[0] - 60);
        touch("pointermove", 12, middle[0] + 60);
        touch("pointerup", 11, middle[0] - 60);
        touch("pointerup", 12, middle[0] + 60);
      });
      figure.querySelector("[data-do=reset]").click();
      await frame();
      const tip = figure.querySelector(".tip");
      for (let y = 2; y < canvas.clientHeight && tip.hidden; y += 4) {
        for (let x = 2; x < canvas.clientWidth && tip.hidden; x += 6) {
          event(canvas, PointerEvent, "pointermove", x, y, { pointerType: "mouse" });
        }
      }
      told.tips += !tip.hidden && /rank|MPI_/.test(tip.textContent);
    }
    const after = document.querySelector("[data-value=after]");
    after.click();
    await frame();
    const shown = after.closest("figure").querySelector("[data-of=after]");
    told.after = after.getAttribute("aria-pressed") + "/" + shown.hidden;
    document.activeElement.blur();
    const back = document.querySelectorAll("[data-value=before], [data-do=reset]");
    back.forEach((button) => button.click());
    told.background = getComputedStyle(document.body).backgroundColor.replaceAll(" ", "");
    await frame();
    const all = Object.entries(told).map(([name, value]) => " " + name + "=" + value).join("");
    parent.postMessage("probe" + all + " errors=" + errors.join("; ") + " end", "*");
  });
})();
//]]>
</script>"##;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("page-{name}"));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// The page of a graph.
fn page(folder: &Path, goal: &str) -> String {
    let (input, output) = (folder.join("graph.goal"), folder.join("plain.html"));
    std::fs::write(&input, goal).expect("a file");
    let name = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    common::output(&["detect", "--html", &name(&output), &name(&input)], "");
    std::fs::read_to_string(&output).expect("the page")
}

/// A binomial tree from process 0, then every process sends to its neighbours in a ring.
fn tree_and_ring(processes: u32) -> String {
    let mut goal = format!("num_ranks {processes}\n");
    for rank in 0..processes {
        let (mut lines, mut from) = (String::new(), 1);
        if rank > 0 {
            let parent = rank - (1 << rank.ilog2());
            let _ = writeln!(lines, "b: recv 64b from {parent} tag 9 //@ b addr=0x1000");
            from = 2 << rank.ilog2();
        }
        let children = std::iter::successors(Some(from), |step| Some(step * 2));
        for (k, step) in children.take_while(|step| rank + step < processes).enumerate() {
            let _ = writeln!(lines, "c{k}: send 64b to {} tag 9 //@ c{k} addr=0x1000", rank + step);
            if rank > 0 {
                let _ = writeln!(lines, "c{k} requires b");
            }
        }
        let (next, last) = ((rank + 1) % processes, (rank + processes - 1) % processes);
        let _ = writeln!(lines, "s: send 8b to {next} tag 1 //@ s addr=0x2000");
        let _ = writeln!(lines, "r: recv 8b from {last} tag 1 //@ r addr=0x3000");
        let _ = writeln!(goal, "rank {rank} {{\n{lines}}}");
    }
    goal
}

#[track_caller]
fn assert_works(seen: &Look, (width, pictures): (u32, usize), dark: bool) {
    let told = &seen.told;
    assert!(told.contains(" errors= end"), "{told}");
    assert_eq!(seen.number("width"), width as usize, "{told}");
    assert_eq!(seen.number("overflow"), 0, "{told}");
    for what in
        ["pictures", "drawn", "ignored", "wheel", "keys", "back", "buttons", "pinch", "tips"]
    {
        assert_eq!(seen.number(what), pictures, "{what}: {told}");
    }
    assert_eq!(seen.value("after"), "true/false", "{told}");
    let background = if dark { "rgb(20,24,29)" } else { "rgb(255,255,255)" };
    assert_eq!(seen.value("background"), background, "{told}");
    assert!(seen.picture.len() > 20_000, "a screenshot of {} bytes", seen.picture.len());
}

#[test]
fn the_page_of_thousands_of_ranks_is_small_and_needs_nothing_else() {
    let page = page(&folder("large"), &tree_and_ring(4096));
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    for part in ["MPI_Bcast", "4,096", "<canvas", "id=\"data\"", "<table>"] {
        assert!(page.contains(part), "{part}");
    }
    for reference in ["src=", "href=\"http", "url(", "@import", "fetch("] {
        assert!(!page.contains(reference), "{reference}");
    }
}

#[test]
fn a_browser_draws_and_zooms_the_pictures_on_screens_and_telephones() {
    let Some(browser) = browser() else { return };
    for (processes, width, dark) in [(4, 1280, false), (4, 390, true), (1500, 1280, true)] {
        let folder = folder(&format!("{processes}-{width}"));
        let page = page(&folder, &tree_and_ring(processes));
        let probed = page.replacen("<head>", &format!("<head>{PROBE}"), 1);
        std::fs::write(folder.join("page.html"), probed).expect("a file");
        assert_works(&look(browser, &folder, (width, 1700), dark), (width, 2), dark);
    }
}
