// Brings the pictures of the page to life, each when it comes into view.
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const stages = [];

  // Which line of the program has which colour.
  function key(list, diagram) {
    const used = Array.from(new Set(diagram.all.sender)).filter((place) => place > 0).sort((a, b) => a - b);
    const lines = used.slice(0, 7).map((place) => {
      const item = document.createElement("li");
      const swatch = document.createElement("i");
      swatch.style.background = "var(--s" + ((place - 1) % 7) + ")";
      item.append(swatch, data.places[place - 1]);
      return item;
    });
    if (diagram.axis === "times" && diagram.bands.length > 0) {
      const item = document.createElement("li");
      const swatch = document.createElement("i");
      swatch.style.background = "var(--soft)";
      item.append(swatch, "collectives that the program calls");
      lines.push(item);
    }
    list.replaceChildren(...lines);
  }

  function spacetime(figure, given) {
    const shown = { what: "before", axis: figure.dataset.axis };
    const made = new Map();
    const content = () => {
      if (!made.has(shown.what)) made.set(shown.what, new Spacetime(given[shown.what], given.processes, data.places, shown.axis));
      const diagram = made.get(shown.what);
      if (diagram.all[shown.axis] && diagram.axis !== shown.axis) diagram.setAxis(shown.axis);
      key(figure.querySelector(".key"), diagram);
      return diagram;
    };
    const stage = new Stage(figure, content());
    stages.push(stage);
    for (const group of figure.querySelectorAll("[data-choice]")) {
      choice(group, (value) => {
        shown[group.dataset.choice] = value;
        stage.show(content());
        for (const words of figure.querySelectorAll("[data-of]")) words.hidden = words.dataset.of !== shown.what;
        const axis = figure.querySelector("[data-choice=axis]");
        if (axis) axis.hidden = shown.what === "after";
      });
    }
  }

  function matrix(figure, given) {
    const content = new Matrix(given.matrix, given.processes);
    const stage = new Stage(figure, content);
    stages.push(stage);
    const [low, high] = figure.querySelectorAll(".scale span");
    const label = () => {
      const even = content.low === content.high;
      low.textContent = even ? "" : content.name(content.low);
      high.textContent = even ? "all pairs: " + content.name(content.high) : content.name(content.high) + " a pair";
      figure.querySelector(".scale").classList.toggle("even", even);
    };
    label();
    choice(figure.querySelector("[data-choice]"), (value) => {
      content.measure(value);
      label();
      stage.redraw();
    });
  }

  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      const given = data.figures[target.dataset.figure];
      if (target.classList.contains("matrix")) matrix(target, given);
      else spacetime(target, given);
    }
  }, { rootMargin: "400px" });
  for (const figure of document.querySelectorAll("figure[data-figure]")) {
    figure.querySelectorAll(".tools, .stage, .scale, .hint").forEach((part) => (part.hidden = false));
    seen.observe(figure);
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => stages.forEach((stage) => stage.redraw()));
})();
