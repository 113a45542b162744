"use strict";

// A column of numbers: base64, seven bits a byte, zigzag, differences.
function numbers(text, n) {
  const bytes = atob(text);
  const all = new Float64Array(n);
  let last = 0;
  let value = 0;
  let place = 1;
  let k = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes.charCodeAt(i);
    value += (byte & 127) * place;
    place *= 128;
    if (byte < 128) {
      last += value % 2 === 0 ? value / 2 : -(value + 1) / 2;
      all[k++] = last;
      value = 0;
      place = 1;
    }
  }
  return all.subarray(0, k);
}

// The columns of an object that are text.
function columns(object) {
  const decoded = { ...object };
  for (const [key, value] of Object.entries(object)) {
    if (typeof value === "string") decoded[key] = numbers(value, object.n);
  }
  return decoded;
}

const grouped = (n) => n.toLocaleString("en");
const counted = (n, what) => grouped(n) + " " + what + (n === 1 ? "" : "s");

function scaled(value, units) {
  const [name, size] = units.findLast(([, size]) => Math.abs(value) >= size) ?? units[0];
  return (size === 1 ? grouped(value) : Number((value / size).toPrecision(4)).toString()) + " " + name;
}

const bytesOf = (n) => scaled(n, [["bytes", 1], ["kB", 1e3], ["MB", 1e6], ["GB", 1e9], ["TB", 1e12]]).replace(/^1 bytes$/, "1 byte");
const timeOf = (n) => scaled(n, [["ns", 1], ["µs", 1e3], ["ms", 1e6], ["s", 1e9]]);
const ranksOf = (first, count, end) => {
  const last = Math.min(first + count, end) - 1;
  return last <= first ? "rank " + first : "ranks " + first + "–" + last;
};

// A round distance of marks so that at most `most` of them are in `span`.
function roundStep(span, most) {
  const least = span / Math.max(most, 1);
  const power = Math.pow(10, Math.floor(Math.log10(least)));
  return [1, 2, 5, 10].map((k) => k * power).find((step) => step >= least);
}

// The page's colours, read again when it turns light or dark.
function colours() {
  const style = getComputedStyle(document.documentElement);
  const all = {};
  for (const name of ["ink", "soft", "line", "card", "page", "band", "root", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "h0", "h1", "h2", "h3", "h4"]) {
    all[name] = style.getPropertyValue("--" + name).trim();
  }
  return all;
}
