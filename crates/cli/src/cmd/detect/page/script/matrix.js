// Who sends how much to whom: rows send, columns receive.
class Matrix {
  constructor(matrix, ranks) {
    this.all = columns(matrix);
    this.ranks = ranks;
    this.bounds = { x0: 0, x1: ranks, y0: 0, y1: ranks };
    this.least = { x: 1, y: 1 };
    this.margin = { left: 14 + 8 * String(ranks - 1).length, top: 42, right: 8, bottom: 10 };
    this.measure("bytes");
  }

  measure(what) {
    this.what = what;
    this.most = what === "bytes" ? this.all.mostBytes : this.all.mostMessages;
    this.low = Infinity;
    this.high = 0;
    for (const value of this.most) {
      if (value > 0) this.low = Math.min(this.low, value);
      this.high = Math.max(this.high, value);
    }
    this.levels = new Map();
  }

  name(value) {
    return this.what === "bytes" ? bytesOf(value) : counted(value, "message");
  }

  height(width) {
    const { left, top, bottom } = this.margin;
    const side = Math.min(width - left - 8, 430, Math.max(this.ranks * 56, 200));
    this.margin.right = width - left - side;
    return side + top + bottom;
  }

  // Squares no smaller than `side`: smaller ones are joined. The largest pair gives the colour.
  level(side) {
    if (this.levels.has(side)) return this.levels.get(side);
    const { from, to, pairs, messages, bytes, n } = this.all;
    const found = new Map();
    for (let k = 0; k < n; k++) {
      const own = Math.max(this.all.side[k], side);
      const [row, column] = [Math.floor(from[k] / own) * own, Math.floor(to[k] / own) * own];
      const key = row * this.ranks * 2 + column;
      const square = found.get(key);
      if (square) {
        square.pairs += pairs[k];
        square.messages += messages[k];
        square.bytes += bytes[k];
        square.most = Math.max(square.most, this.most[k]);
      } else {
        found.set(key, { row, column, side: own, pairs: pairs[k], messages: messages[k], bytes: bytes[k], most: this.most[k] });
      }
    }
    this.levels.set(side, found);
    return found;
  }

  colourOf(value, stops) {
    const span = Math.log(this.high / this.low);
    const at = (value <= 0 ? 0 : span > 0 ? Math.log(value / this.low) / span : 1) * (stops.length - 1);
    const k = Math.min(Math.floor(at), stops.length - 2);
    const mixed = stops[k].map((part, c) => Math.round(part + (stops[k + 1][c] - part) * (at - k)));
    return "rgb(" + mixed.join() + ")";
  }

  draw(context, stage) {
    const colour = colours();
    const { x, y, width, height } = stage.inner;
    const { x0, x1, y0, y1 } = stage.view;
    const pixels = width / (x1 - x0);
    const side = Math.pow(2, Math.max(0, Math.ceil(Math.log2(3 / pixels))));
    const stops = ["h0", "h1", "h2", "h3", "h4"].map((name) => [1, 3, 5].map((k) => parseInt(colour[name].slice(k, k + 2), 16)));
    context.fillStyle = colour.card;
    context.fillRect(x, y, width, height);
    context.save();
    context.beginPath();
    context.rect(x, y, width, height);
    context.clip();
    context.strokeStyle = colour.line;
    context.beginPath();
    context.moveTo(stage.x(0), stage.y(0));
    context.lineTo(stage.x(this.ranks), stage.y(this.ranks));
    context.stroke();
    this.squares = this.level(side);
    let drawn = 0;
    for (const square of this.squares.values()) {
      const [left, top] = [stage.x(square.column), stage.y(square.row)];
      const [right, bottom] = [stage.x(Math.min(square.column + square.side, this.ranks)), stage.y(Math.min(square.row + square.side, this.ranks))];
      if (right < x || left > x + width || bottom < y || top > y + height) continue;
      const gap = pixels >= 7 ? 1 : 0;
      context.fillStyle = this.colourOf(square.most, stops);
      context.fillRect(left + gap / 2, top + gap / 2, Math.max(right - left - gap, 1), Math.max(bottom - top - gap, 1));
      drawn += 1;
      if (square.side === 1 && pixels >= 54) this.drawValue(context, square, left, top, pixels, stops);
    }
    context.restore();
    context.strokeStyle = colour.line;
    context.strokeRect(x - 0.5, y - 0.5, width + 1, height + 1);
    this.drawAxes(context, stage, colour);
    return drawn;
  }

  drawValue(context, square, left, top, pixels, stops) {
    const value = this.what === "bytes" ? square.bytes : square.messages;
    const [r, g, b] = this.colourOf(square.most, stops).match(/\d+/g).map(Number);
    context.fillStyle = 0.3 * r + 0.6 * g + 0.1 * b > 140 ? "#1c2430" : "#ffffff";
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(this.what === "bytes" ? bytesOf(value).replace("bytes", "B") : grouped(value), left + pixels / 2, top + pixels / 2);
  }

  drawAxes(context, stage, colour) {
    const { x, y, width, height } = stage.inner;
    const { x0, x1, y0 } = stage.view;
    const every = Math.max(1, roundStep(x1 - x0, width / (16 + 8 * String(this.ranks).length)));
    context.font = "12px system-ui, sans-serif";
    context.fillStyle = colour.soft;
    context.textBaseline = "middle";
    for (let k = Math.ceil(x0 / every - 0.5 / every); k * every < this.ranks; k++) {
      const across = stage.x(k * every + 0.5);
      if (across > x + width) break;
      context.textAlign = "center";
      if (across >= x) context.fillText(String(k * every), across, y - 11);
    }
    for (let k = Math.ceil(y0 / every - 0.5 / every); k * every < this.ranks; k++) {
      const down = stage.y(k * every + 0.5);
      if (down > y + height) break;
      context.textAlign = "right";
      if (down >= y) context.fillText(String(k * every), x - 6, down);
    }
    context.textAlign = "left";
    context.fillText("from ↓", 2, 10);
    context.textAlign = "right";
    context.fillText("to rank →", x + width, 10);
  }

  hit(px, py, stage) {
    const { x, y, width, height } = stage.inner;
    if (px < x || px > x + width || py < y || py > y + height) return null;
    const at = stage.at(px, py);
    for (const square of this.squares?.values() ?? []) {
      if (at.x < square.column || at.x >= square.column + square.side || at.y < square.row || at.y >= square.row + square.side) continue;
      const ranks = (first) => ranksOf(first, square.side, this.ranks);
      const words = [ranks(square.row) + " → " + ranks(square.column), counted(square.messages, "message") + ", " + bytesOf(square.bytes)];
      if (square.side > 1) words.push(counted(square.pairs, "pair") + ", at most " + this.name(square.most) + " each");
      return words;
    }
    return null;
  }

  describe({ x0, x1, y0, y1 }) {
    const span = (low, high) => ranksOf(Math.floor(low), Math.ceil(high) - Math.floor(low), this.ranks);
    return "Shown: from " + span(y0, y1) + " to " + span(x0, x1);
  }
}
