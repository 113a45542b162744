// A canvas that is zoomed and moved by mouse, touch and keyboard. What it shows has `bounds`, `least` (how far one can
// zoom in), `margin`, `height(width)`, `draw(context, stage)`, `hit(x, y, stage)` and `describe(view)`.
class Stage {
  constructor(figure, content) {
    this.canvas = figure.querySelector("canvas");
    this.tip = figure.querySelector(".tip");
    this.status = figure.querySelector(".status");
    this.context = this.canvas.getContext("2d");
    this.pointers = new Map();
    this.show(content);
    this.listen(figure);
    new ResizeObserver(() => this.resize()).observe(this.canvas.parentElement);
  }

  show(content) {
    this.content = content;
    this.view = { ...content.bounds };
    this.hideTip();
    this.resize();
  }

  resize() {
    const width = this.canvas.parentElement.clientWidth;
    if (width === 0) return;
    const height = this.content.height(width);
    const ratio = window.devicePixelRatio || 1;
    this.width = width;
    this.height = height;
    this.canvas.style.height = height + "px";
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.redraw();
  }

  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      if (!this.width) return;
      this.context.clearRect(0, 0, this.width, this.height);
      this.canvas.dataset.drawn = this.content.draw(this.context, this);
      const { x0, x1, y0, y1 } = this.view;
      this.canvas.dataset.view = [x0, x1, y0, y1].map((v) => Number(v.toPrecision(6))).join(" ");
    });
  }

  get inner() {
    const { left, top, right, bottom } = this.content.margin;
    return { x: left, y: top, width: this.width - left - right, height: this.height - top - bottom };
  }

  // From what is shown to pixels, and back.
  x(value) {
    const { x, width } = this.inner;
    return x + ((value - this.view.x0) / (this.view.x1 - this.view.x0)) * width;
  }

  y(value) {
    const { y, height } = this.inner;
    return y + ((value - this.view.y0) / (this.view.y1 - this.view.y0)) * height;
  }

  at(px, py) {
    const { x, y, width, height } = this.inner;
    const { x0, x1, y0, y1 } = this.view;
    return { x: x0 + ((px - x) / width) * (x1 - x0), y: y0 + ((py - y) / height) * (y1 - y0) };
  }

  // So many times as near, around a place of the canvas.
  zoom(factor, px, py) {
    const { x, y, width, height } = this.inner;
    const fx = Math.min(Math.max((px - x) / width, 0), 1);
    const fy = Math.min(Math.max((py - y) / height, 0), 1);
    const one = (low, high, least, most, share) => {
      const span = Math.min(Math.max((high - low) / factor, least), most);
      const still = low + (high - low) * share;
      return [still - span * share, still + span * (1 - share)];
    };
    const { bounds, least } = this.content;
    const { view } = this;
    [view.x0, view.x1] = one(view.x0, view.x1, least.x, bounds.x1 - bounds.x0, fx);
    [view.y0, view.y1] = one(view.y0, view.y1, least.y, bounds.y1 - bounds.y0, fy);
    this.settle();
  }

  // Moves by parts of what is visible.
  move(dx, dy) {
    const { view } = this;
    const x = dx * (view.x1 - view.x0);
    const y = dy * (view.y1 - view.y0);
    view.x0 += x;
    view.x1 += x;
    view.y0 += y;
    view.y1 += y;
    this.settle();
  }

  reset() {
    this.view = { ...this.content.bounds };
    this.settle();
  }

  // Nothing outside of the bounds is shown.
  settle() {
    const { bounds } = this.content;
    const { view } = this;
    for (const [low, high] of [["x0", "x1"], ["y0", "y1"]]) {
      const over = Math.max(bounds[low] - view[low], 0) || Math.min(bounds[high] - view[high], 0);
      view[low] += over;
      view[high] += over;
    }
    this.hideTip();
    this.redraw();
    clearTimeout(this.saying);
    this.saying = setTimeout(() => (this.status.textContent = this.content.describe(view)), 300);
  }

  showTip(px, py) {
    const found = this.content.hit(px, py, this);
    this.canvas.classList.toggle("over", Boolean(found));
    if (!found) return this.hideTip();
    this.tip.replaceChildren(...found.map((line, k) => Object.assign(document.createElement(k ? "span" : "b"), { textContent: line })));
    this.tip.hidden = false;
    const left = Math.min(px + 14, this.width - this.tip.offsetWidth - 4);
    const below = py + 18;
    this.tip.style.left = Math.max(left, 4) + "px";
    this.tip.style.top = (below + this.tip.offsetHeight > this.height ? Math.max(py - this.tip.offsetHeight - 12, 0) : below) + "px";
  }

  hideTip() {
    this.tip.hidden = true;
  }

  listen(figure) {
    const { canvas } = this;
    const middle = () => [this.inner.x + this.inner.width / 2, this.inner.y + this.inner.height / 2];
    // Elsewhere the wheel moves the page: it zooms once the picture was clicked, or with the control key.
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && document.activeElement !== canvas) return;
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.002)), event.offsetX, event.offsetY);
    }, { passive: false });
    canvas.addEventListener("dblclick", (event) => this.zoom(2, event.offsetX, event.offsetY));
    canvas.addEventListener("pointerdown", (event) => {
      this.pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
      this.moved = false;
      if (event.pointerType !== "touch") canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      const now = [event.offsetX, event.offsetY];
      const before = this.pointers.get(event.pointerId);
      if (!before) return this.showTip(...now);
      const old = Array.from(this.pointers.values());
      this.pointers.set(event.pointerId, now);
      const all = Array.from(this.pointers.values());
      const mean = (points, k) => points.reduce((sum, point) => sum + point[k], 0) / points.length;
      const [dx, dy] = [0, 1].map((k) => mean(all, k) - mean(old, k));
      if (Math.hypot(dx, dy) > 0.5) this.moved = true;
      this.move(-dx / this.inner.width, -dy / this.inner.height);
      if (all.length === 2) {
        const apart = (points) => Math.hypot(points[0][0] - points[1][0], points[0][1] - points[1][1]);
        this.zoom(apart(all) / Math.max(apart(old), 1), mean(all, 0), mean(all, 1));
      }
    });
    const up = (event) => {
      if (event.type === "pointerup" && !this.moved) this.showTip(event.offsetX, event.offsetY);
      this.pointers.delete(event.pointerId);
    };
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", up);
    canvas.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.hideTip());
    const keys = {
      ArrowLeft: () => this.move(-0.2, 0),
      ArrowRight: () => this.move(0.2, 0),
      ArrowUp: () => this.move(0, -0.2),
      ArrowDown: () => this.move(0, 0.2),
      "+": () => this.zoom(1.5, ...middle()),
      "=": () => this.zoom(1.5, ...middle()),
      "-": () => this.zoom(1 / 1.5, ...middle()),
      0: () => this.reset(),
      Home: () => this.reset(),
      Escape: () => this.hideTip(),
    };
    canvas.addEventListener("keydown", (event) => {
      const act = event.ctrlKey || event.metaKey || event.altKey ? null : keys[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    });
    const button = (name, act) => figure.querySelector("button[data-do=" + name + "]").addEventListener("click", act);
    button("in", () => this.zoom(2, ...middle()));
    button("out", () => this.zoom(0.5, ...middle()));
    button("reset", () => this.reset());
  }
}

// Buttons of which one is pressed. `change` is told which.
function choice(group, change) {
  const buttons = Array.from(group.querySelectorAll("button"));
  for (const button of buttons) {
    button.addEventListener("click", () => {
      buttons.forEach((other) => other.setAttribute("aria-pressed", other === button));
      change(button.dataset.value);
    });
  }
}
