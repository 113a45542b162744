// Processes over steps or time: messages are lines, collectives are bands.
class Spacetime {
  constructor(diagram, processes, places, axis) {
    this.all = columns(diagram);
    for (const key of ["steps", "times"]) {
      if (this.all[key]) this.all[key] = this.all[key].map((text) => numbers(text, diagram.n));
    }
    this.bands = diagram.bands.map((band) => {
      const members = numbers(band.members, band.members.length);
      return { ...band, members, times: numbers(band.times, band.times.length) };
    });
    this.processes = processes;
    this.places = places;
    this.lane = diagram.lane;
    this.lanes = Math.ceil(processes / this.lane);
    this.coarse = new Map();
    this.margin = { left: 14 + 8 * String(processes - 1).length, top: diagram.begins.length > 0 ? 36 : 22, right: 14, bottom: 40 };
    this.setAxis(this.all[axis] ? axis : this.all.steps ? "steps" : "times");
  }

  setAxis(axis) {
    this.axis = axis;
    [this.start, this.end] = this.all[axis];
    this.coarse.clear();
    let last = 1;
    for (const end of this.end) last = Math.max(last, end);
    for (const band of this.bands) {
      if (axis === "steps") last = Math.max(last, band.step + 1);
      else for (const time of band.times) last = Math.max(last, time);
    }
    const first = axis === "steps" ? 0 : -last * 0.01;
    this.bounds = { x0: first, x1: axis === "steps" ? last : last * 1.01, y0: 0, y1: this.lanes };
    this.least = { x: axis === "steps" ? Math.min(1, last) : Math.min(100, last), y: Math.min(2, this.lanes) };
  }

  height() {
    return Math.min(Math.max(this.lanes * 34, 130), 430) + this.margin.top + this.margin.bottom;
  }

  // Lines whose lanes and times are the same at this resolution are one.
  joined(lanes, span) {
    const key = lanes + " " + span;
    if (this.coarse.has(key)) return this.coarse.get(key);
    const { from, to, messages, bytes, sender, n } = this.all;
    const found = new Map();
    const middle = (k) => (span === 1 ? k : (k + 0.5) * span);
    for (let k = 0; k < n; k++) {
      const ends = [Math.floor(from[k] / lanes), Math.floor(to[k] / lanes), Math.floor(this.start[k] / span), Math.floor(this.end[k] / span)];
      const same = ends.join();
      const line = found.get(same);
      if (line) {
        line.messages += messages[k];
        line.bytes += bytes[k];
        line.lines += 1;
        if (line.sender !== sender[k]) line.sender = 0;
      } else {
        found.set(same, {
          from: (ends[0] + 0.5) * lanes, to: (ends[1] + 0.5) * lanes, start: middle(ends[2]), end: middle(ends[3]),
          first: from[k], other: to[k], lanes, lines: 1, index: k, messages: messages[k], bytes: bytes[k], sender: sender[k],
        });
      }
    }
    const lines = Array.from(found.values());
    if (this.coarse.size > 6) this.coarse.clear();
    this.coarse.set(key, lines);
    return lines;
  }

  one(k) {
    const { from, to, messages, bytes, sender } = this.all;
    return {
      from: from[k] + 0.5, to: to[k] + 0.5, start: this.start[k], end: this.end[k],
      first: from[k], other: to[k], lanes: 1, lines: 1, index: k, messages: messages[k], bytes: bytes[k], sender: sender[k],
    };
  }

  // What is drawn: all lines in view, or coarser ones where those are too many.
  visible(stage) {
    const { x0, x1, y0, y1 } = stage.view;
    const { from, to, n } = this.all;
    const lines = [];
    for (let k = 0; k < n && lines.length <= 6000; k++) {
      if (Math.min(this.start[k], this.end[k]) > x1 || Math.max(this.start[k], this.end[k]) < x0) continue;
      if (Math.min(from[k], to[k]) > y1 || Math.max(from[k], to[k]) + 1 < y0) continue;
      lines.push(this.one(k));
    }
    if (lines.length <= 6000) return lines;
    const finer = (pixels, span) => Math.pow(2, Math.max(0, Math.ceil(Math.log2((span / pixels) * 4))));
    const lanes = finer(stage.inner.height, y1 - y0);
    const span = this.axis === "steps" ? finer(stage.inner.width, x1 - x0) : Math.pow(2, Math.ceil(Math.log2(((x1 - x0) / stage.inner.width) * 4)));
    const seen = (line) => line.end >= x0 && line.start <= x1 && Math.max(line.from, line.to) >= y0 && Math.min(line.from, line.to) <= y1;
    return this.joined(lanes, span).filter(seen);
  }

  draw(context, stage) {
    const colour = colours();
    const { x, y, width, height } = stage.inner;
    context.font = "12px system-ui, sans-serif";
    this.drawFrame(context, stage, colour);
    context.save();
    context.beginPath();
    context.rect(x - 1, y - 1, width + 2, height + 2);
    context.clip();
    this.drawBands(context, stage, colour);
    this.drawn = this.visible(stage);
    this.drawLines(context, stage, colour);
    if (this.axis === "steps") this.drawBoxes(context, stage, colour);
    context.restore();
    this.drawBegins(context, stage, colour);
    return this.drawn.length + this.bands.length;
  }

  drawFrame(context, stage, colour) {
    const { x, y, width, height } = stage.inner;
    const { x0, x1, y0, y1 } = stage.view;
    const perLane = height / (y1 - y0);
    context.lineWidth = 1;
    context.strokeStyle = colour.line;
    context.fillStyle = colour.soft;
    context.textAlign = "right";
    context.textBaseline = "middle";
    const every = Math.max(1, roundStep(y1 - y0, height / 16));
    for (let lane = Math.max(0, Math.floor(y0)); lane < Math.min(this.lanes, Math.ceil(y1)); lane++) {
      const at = stage.y(lane + 0.5);
      if (at < y || at > y + height) continue;
      if (perLane >= 5) {
        context.beginPath();
        context.moveTo(x, Math.round(at) + 0.5);
        context.lineTo(x + width, Math.round(at) + 0.5);
        context.stroke();
      }
      if (lane % every === 0) context.fillText(String(lane * this.lane), x - 8, at);
    }
    const bottom = y + height;
    context.beginPath();
    context.moveTo(x, bottom + 0.5);
    context.lineTo(x + width, bottom + 0.5);
    context.stroke();
    context.textAlign = "center";
    context.textBaseline = "top";
    const steps = this.axis === "steps";
    const step = Math.max(steps ? 1 : 0, roundStep(x1 - x0, width / 70));
    for (let k = Math.ceil(x0 / step); k * step <= x1; k++) {
      const at = Math.round(stage.x(k * step)) + 0.5;
      context.beginPath();
      context.moveTo(at, steps ? y : bottom);
      context.lineTo(at, bottom + 4);
      context.stroke();
      context.fillText(steps ? String(k * step) : k === 0 ? "0" : timeOf(k * step), at, bottom + 7);
    }
    context.textAlign = "right";
    context.fillText(steps ? "steps" : "time", x + width, bottom + 23);
    context.textAlign = "left";
    context.fillText("rank", 2, y - (this.all.begins.length > 0 ? 9 : 16));
  }

  colourOf(line, colour) {
    return line.sender === 0 ? colour.s0 : colour["s" + ((line.sender - 1) % 7)];
  }

  drawLines(context, stage, colour) {
    const many = this.drawn.length;
    const arrows = many <= 250;
    const perLane = stage.inner.height / (stage.view.y1 - stage.view.y0);
    context.globalAlpha = Math.min(0.9, Math.max(0.12, Math.sqrt(200 / many)));
    context.lineCap = "round";
    for (const line of this.drawn) {
      const [ax, ay, bx, by] = this.ends(line, stage);
      context.strokeStyle = context.fillStyle = this.colourOf(line, colour);
      context.lineWidth = (many > 2000 ? 0.8 : 1.4) + Math.min(Math.log10(line.messages), 3);
      context.beginPath();
      context.moveTo(ax, ay);
      if (ay === by) context.quadraticCurveTo((ax + bx) / 2, ay - Math.min(perLane * line.lanes, 30) * 0.8, bx, by);
      else context.lineTo(bx, by);
      context.stroke();
      if (arrows) {
        const angle = Math.atan2(by - ay, bx - ax);
        const size = 7;
        context.beginPath();
        context.moveTo(bx, by);
        context.lineTo(bx - size * Math.cos(angle - 0.4), by - size * Math.sin(angle - 0.4));
        context.lineTo(bx - size * Math.cos(angle + 0.4), by - size * Math.sin(angle + 0.4));
        context.fill();
      }
    }
    context.globalAlpha = 1;
  }

  ends(line, stage) {
    const [ax, bx] = [stage.x(line.start), stage.x(line.end)];
    // Ends of neighbouring steps do not touch.
    const inset = this.axis === "steps" ? Math.min((bx - ax) * 0.07, 6) : 0;
    return [ax + inset, stage.y(line.from), bx - inset, stage.y(line.to)];
  }

  // Collectives that the program calls: a line through the times at which each process begins.
  drawBands(context, stage, colour) {
    if (this.axis === "steps") return;
    const { x0, x1 } = stage.view;
    const visible = this.bands.filter((band) => band.times.some((time) => time >= x0 && time <= x1));
    context.strokeStyle = context.fillStyle = colour.soft;
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.lineWidth = visible.length > 60 ? 1.5 : 4;
    context.lineJoin = context.lineCap = "round";
    context.globalAlpha = visible.length > 60 ? 0.4 : 0.55;
    for (const band of visible) {
      if (visible.length <= 12) {
        const at = Math.max(...band.times.map((time) => stage.x(time))) + 6;
        const room = stage.inner.x + stage.inner.width - context.measureText(band.name).width;
        context.fillText(band.name, Math.min(at, room), stage.inner.y + 5);
      }
      context.beginPath();
      band.members.forEach((rank, k) => context.lineTo(stage.x(band.times[k]), stage.y(rank / this.lane + 0.5)));
      if (band.members.length === 1) context.rect(stage.x(band.times[0]), stage.y(band.members[0] / this.lane) + 2, 0.5, 8);
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  // Collectives that stand for messages: a box of a step through all who take part.
  drawBoxes(context, stage, colour) {
    for (const band of this.bands) {
      const { left, right, top, bottom } = this.box(band, stage);
      if (right < stage.inner.x || left > stage.inner.x + stage.inner.width) continue;
      const whole = band.members.length > 60 || band.members.every((rank, k) => k === 0 || rank === band.members[k - 1] + 1);
      context.fillStyle = colour.band;
      context.globalAlpha = whole ? 1 : 0.35;
      context.beginPath();
      context.roundRect(left, top, right - left, bottom - top, 6);
      context.fill();
      context.globalAlpha = 1;
      const dots = band.members.length <= 60 && stage.inner.height / (stage.view.y1 - stage.view.y0) > 8;
      if (dots) {
        for (const rank of band.members) {
          context.fillStyle = rank === band.root ? colour.root : whole ? "#ffffff" : colour.band;
          context.beginPath();
          context.arc(left + 10, stage.y(rank / this.lane + 0.5), rank === band.root ? 5 : 3.5, 0, 7);
          context.fill();
        }
      }
      context.fillStyle = whole ? "#ffffff" : colour.ink;
      context.textAlign = "center";
      context.textBaseline = "middle";
      const words = [band.name, band.detail].filter(Boolean);
      const room = right - left - 24;
      context.save();
      context.translate((left + right) / 2 + (dots ? 6 : 0), (Math.max(top, stage.inner.y) + Math.min(bottom, stage.inner.y + stage.inner.height)) / 2);
      context.font = "600 13px system-ui, sans-serif";
      const wide = context.measureText(band.name).width;
      if (wide > room) context.rotate(-Math.PI / 2);
      if (Math.min(wide, bottom - top) <= Math.max(room, bottom - top)) {
        words.slice(0, Math.min(wide > room ? room + 24 : bottom - top, 99) > 34 ? 2 : 1).forEach((word, k, shown) => {
          context.font = (k ? "" : "600 ") + (k ? 12 : 13) + "px system-ui, sans-serif";
          context.fillText(word, 0, (k - (shown.length - 1) / 2) * 17);
        });
      }
      context.restore();
    }
  }

  box(band, stage) {
    const [low, high] = [band.members[0], band.members[band.members.length - 1]].map((rank) => Math.floor(rank / this.lane));
    const [left, right] = [stage.x(band.step), stage.x(band.step + 1)];
    const inset = Math.min((right - left) * 0.08, 10);
    return { left: left + inset, right: right - inset, top: stage.y(low) + 3, bottom: stage.y(high + 1) - 3 };
  }

  // Where phases begin for the first time.
  drawBegins(context, stage, colour) {
    if (this.axis === "steps") return;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.font = "600 11px system-ui, sans-serif";
    let free = -Infinity;
    for (const [time, number] of this.all.begins) {
      const at = stage.x(time);
      const wide = 10 + 7 * String(number).length;
      if (at < stage.inner.x - 1 || at > stage.inner.x + stage.inner.width + 1) continue;
      context.fillStyle = colour.line;
      context.fillRect(at - 0.5, 22, 1, 10);
      if (at - wide / 2 < free) continue;
      context.beginPath();
      context.roundRect(at - wide / 2, 5, wide, 17, 4);
      context.fill();
      context.fillStyle = colour.ink;
      context.fillText(String(number), at, 14);
      free = at + wide / 2 + 2;
    }
  }

  hit(px, py, stage) {
    for (const [time, number] of this.axis === "times" ? this.all.begins : []) {
      if (py < 24 && Math.abs(stage.x(time) - px) < 10) return ["phase " + number, "begins here for the first time"];
    }
    const { x, y, width, height } = stage.inner;
    if (px < x || px > x + width || py < y || py > y + height) return null;
    let best = null;
    let least = 8;
    for (const line of this.drawn ?? []) {
      const [ax, ay, bx, by] = this.ends(line, stage);
      const length = (bx - ax) ** 2 + (by - ay) ** 2;
      const share = length > 0 ? Math.min(Math.max(((px - ax) * (bx - ax) + (py - ay) * (by - ay)) / length, 0), 1) : 0;
      const away = Math.hypot(px - ax - share * (bx - ax), py - ay - share * (by - ay));
      if (away < least) [best, least] = [line, away];
    }
    if (best) return this.wordsOf(best);
    const band = this.bands.find((band) => this.isOver(band, px, py, stage));
    if (!band) return null;
    const root = band.root === null ? [] : ["root " + band.root];
    return [band.name, band.detail, ...root].filter(Boolean);
  }

  isOver(band, px, py, stage) {
    if (this.axis === "steps") {
      const { left, right, top, bottom } = this.box(band, stage);
      return px >= left && px <= right && py >= top && py <= bottom;
    }
    return band.members.some((rank, k) => Math.abs(stage.x(band.times[k]) - px) < 7 && Math.abs(stage.y(rank / this.lane + 0.5) - py) < 14);
  }

  wordsOf(line) {
    const ranks = (lane, count) => ranksOf(Math.floor(lane / count) * count * this.lane, count * this.lane, this.processes);
    const words = [ranks(line.first, line.lanes) + " → " + ranks(line.other, line.lanes)];
    words.push(line.messages === 1 ? bytesOf(line.bytes) : counted(line.messages, "message") + ", " + bytesOf(line.bytes));
    if (line.lines > 1) return words;
    const k = line.index;
    if (this.axis === "steps") words.push("step " + this.start[k]);
    else words.push("sent at " + timeOf(this.start[k]) + ", there after " + timeOf(this.end[k] - this.start[k]));
    const place = (column) => this.places[column[k] - 1];
    if (place(this.all.sender)) words.push("sent in " + place(this.all.sender));
    if (place(this.all.receiver)) words.push("received in " + place(this.all.receiver));
    return words;
  }

  describe({ x0, x1, y0, y1 }) {
    const first = Math.max(0, Math.floor(y0)) * this.lane;
    const ranks = ranksOf(first, Math.ceil(y1) * this.lane - first, this.processes);
    const time = this.axis === "steps" ? "steps " + Math.floor(x0) + " to " + Math.ceil(x1) : timeOf(Math.max(x0, 0)) + " to " + timeOf(x1);
    return "Shown: " + ranks + ", " + time;
  }
}
