// The page's own text: its looks, and the script that draws the plots. It loads nothing from
// anywhere.
#include "berth/report/html.h"

namespace berth::report {

namespace {

constexpr std::string_view kHead = R"page(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Berth: simulation</title>
<style>
:root { --ink: #1b2733; --paper: #ffffff; --faint: #d8dee5; --soft: #5d6b79; --panel: #f6f8fa; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e9ee; --paper: #12181f; --faint: #35404c; --soft: #9aa7b4; --panel: #1a222b; }
}
body { font: 14px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper);
       margin: 2rem auto; max-width: 1240px; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0 0 .2rem; } h2 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; }
p.about { color: var(--soft); margin: 0 0 1rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid var(--faint); }
th:first-child, td:first-child { text-align: left; }
th { color: var(--soft); font-weight: 600; }
td.best { font-weight: 700; }
.grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(540px, 1fr)); gap: 1rem; }
figure { margin: 0; background: var(--panel); border-radius: 8px; padding: .6rem; }
figure.wide { grid-column: 1 / -1; }
figcaption { font-weight: 600; margin: 0 0 .2rem .4rem; }
svg { width: 100%; height: auto; display: block; touch-action: none; }
svg text { fill: var(--soft); font-size: 11px; }
svg .axis { stroke: var(--faint); stroke-width: 1; fill: none; }
svg .line { fill: none; stroke-width: 1.6; }
svg .cursor { stroke: var(--soft); stroke-dasharray: 3 3; }
svg .drag { fill: var(--soft); opacity: .18; }
#legend button { border: 1px solid var(--faint); background: none; color: inherit; font: inherit;
  border-radius: 999px; padding: .15rem .8rem; margin: 0 .4rem .4rem 0; cursor: pointer; }
#legend button.off { opacity: .35; text-decoration: line-through; }
#legend i { display: inline-block; width: .8em; height: .8em; border-radius: 3px; margin-right: .4em; }
#tip { position: fixed; pointer-events: none; background: var(--ink); color: var(--paper);
  padding: .3rem .5rem; border-radius: 5px; font-size: 12px; display: none; white-space: pre; }
</style>
</head>
<body>
<h1>Simulation</h1>
<p class="about" id="about"></p>
<div id="legend"></div>
<table id="figures"></table>
<p class="about">Drag over a plot to look closer; double-click to see all of it again.</p>
<div class="grid" id="plots"></div>
<h2>By size</h2><table id="sizes"></table>
<h2>By account</h2><table id="accounts"></table>
<div id="tip"></div>
)page";

constexpr std::string_view kScript = R"page('use strict';
const results = JSON.parse(document.getElementById('results').textContent);
const colours = ['#2f6fde', '#d9622b', '#2a9d63', '#a046c0', '#c2a211', '#c03a5b', '#3aa5b8', '#7a7f87'];
const hidden = new Set();
const tip = document.getElementById('tip');

function make(name, attributes, parent, text) {
  const space = ['svg', 'path', 'line', 'rect', 'text', 'g', 'clipPath'].includes(name)
    ? 'http://www.w3.org/2000/svg' : 'http://www.w3.org/1999/xhtml';
  const node = document.createElementNS(space, name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  if (text !== undefined) node.textContent = text;
  if (parent) parent.appendChild(node);
  return node;
}
function time(seconds) {
  if (seconds < 120) return seconds.toFixed(0) + ' s';
  if (seconds < 7200) return (seconds / 60).toFixed(0) + ' min';
  if (seconds < 200 * 3600) return (seconds / 3600).toFixed(1) + ' h';
  return (seconds / 86400).toFixed(1) + ' d';
}
const number = value => value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value.toFixed(2);
const percent = value => (100 * value).toFixed(1) + ' %';
function ticks(low, high, count) {
  if (!(high > low)) return [low];
  const rough = (high - low) / count, power = Math.pow(10, Math.floor(Math.log10(rough)));
  const step = [1, 2, 5, 10].map(m => m * power).find(s => s >= rough);
  const all = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-9; at += step) all.push(at);
  return all;
}
const times = value => (value >= 1 ? value.toFixed(0) : value.toFixed(2)) + '×';
function logTicks(low, high, ratio) {
  if (ratio) return [1, 3, 10, 30, 100, 300, 1000, 10000, 100000].filter(t => t >= low && t <= high);
  return [1, 10, 60, 600, 3600, 14400, 86400, 864000, 8640000].filter(t => t >= low && t <= high);
}

// One plot: curves of all policies over time, or over a length of time on a logarithmic axis.
class Plot {
  constructor(name, caption, curves, options) {
    Object.assign(this, { name, curves, options, width: 600, height: 260, left: 56, right: 12, top: 10, bottom: 30 });
    const figure = make('figure', options.wide ? { class: 'wide' } : {}, document.getElementById('plots'));
    make('figcaption', {}, figure, caption);
    if (options.wide) this.width = 1200;
    this.svg = make('svg', { viewBox: `0 0 ${this.width} ${this.height}`, 'data-plot': name, role: 'img', 'aria-label': caption }, figure);
    this.svg.addEventListener('pointermove', event => this.move(event));
    this.svg.addEventListener('pointerleave', () => { tip.style.display = 'none'; this.cursor = null; });
    this.svg.addEventListener('pointerdown', event => { this.from = this.at(event); });
    this.svg.addEventListener('pointerup', event => this.zoom(event));
    this.svg.addEventListener('dblclick', () => { this.range = null; this.draw(); });
    this.draw();
  }
  at(event) {
    const box = this.svg.getBoundingClientRect();
    return this.value((event.clientX - box.left) * this.width / box.width);
  }
  scale(x) { return this.options.log ? Math.log10(Math.max(x, 1)) : x; }
  x(value) {
    const [low, high] = this.domain.map(v => this.scale(v));
    return this.left + (this.scale(value) - low) / ((high - low) || 1) * (this.width - this.left - this.right);
  }
  value(x) {
    const [low, high] = this.domain.map(v => this.scale(v));
    const at = low + (x - this.left) / (this.width - this.left - this.right) * (high - low);
    return this.options.log ? Math.pow(10, at) : at;
  }
  y(value) { return this.height - this.bottom - value / (this.highest || 1) * (this.height - this.top - this.bottom); }
  shown() { return this.curves.filter(curve => !hidden.has(curve.policy)); }
  draw() {
    const shown = this.shown(), all = shown.flatMap(curve => curve.points);
    const widest = this.options.log ? 10 : 1;
    this.domain = this.range || [this.options.log ? 1 : 0, all.reduce((most, p) => Math.max(most, p[0]), widest)];
    const inside = all.filter(p => p[0] >= this.domain[0] && p[0] <= this.domain[1]);
    this.highest = this.options.highest || inside.reduce((most, p) => Math.max(most, p[1]), 1e-9) * 1.05;
    this.svg.replaceChildren();
    this.axes();
    for (const curve of shown) {
      let path = '', was = null;
      for (const point of curve.points) {
        const at = this.options.log ? Math.max(point[0], 1) : point[0];
        if (at < this.domain[0] || at > this.domain[1]) continue;
        const x = this.x(at).toFixed(1), y = this.y(point[1]).toFixed(1);
        if (was !== null && this.options.steps) path += `L${x},${was}`;
        path += (was === null ? 'M' : 'L') + x + ',' + y;
        was = y;
      }
      make('path', { class: 'line', d: path || 'M0,0', stroke: curve.colour, 'data-policy': curve.policy }, this.svg);
    }
  }
  axes() {
    const [low, high] = this.domain, bottom = this.height - this.bottom;
    for (const at of this.options.log ? logTicks(low, high, this.options.ratio) : ticks(low, high, 6)) {
      make('line', { class: 'axis', x1: this.x(at), x2: this.x(at), y1: this.top, y2: bottom }, this.svg);
      make('text', { x: this.x(at), y: bottom + 16, 'text-anchor': 'middle' }, this.svg, this.options.ratio ? times(at) : time(at));
    }
    for (const at of ticks(0, this.highest, 5)) {
      make('line', { class: 'axis', x1: this.left, x2: this.width - this.right, y1: this.y(at), y2: this.y(at) }, this.svg);
      make('text', { x: this.left - 6, y: this.y(at) + 4, 'text-anchor': 'end' }, this.svg, this.options.fraction ? (100 * at).toFixed(0) + ' %' : number(at));
    }
  }
  move(event) {
    const at = this.at(event);
    if (at < this.domain[0] || at > this.domain[1]) return;
    const lines = this.shown().map(curve => {
      let best = curve.points[0];
      for (const point of curve.points) if (point[0] <= at) best = point;
      return best ? `${curve.policy}: ${this.options.fraction ? percent(best[1]) : number(best[1])}` : '';
    });
    tip.textContent = (this.options.ratio ? at.toFixed(2) + '×' : time(at)) + '\n' + lines.join('\n');
    tip.style.cssText = `display:block; left:${event.clientX + 14}px; top:${event.clientY + 10}px`;
    const stale = this.svg.querySelectorAll('.cursor, .drag');
    stale.forEach(node => node.remove());
    make('line', { class: 'cursor', x1: this.x(at), x2: this.x(at), y1: this.top, y2: this.height - this.bottom }, this.svg);
    if (this.from !== undefined && event.buttons) {
      const x = [this.x(this.from), this.x(at)].sort((a, b) => a - b);
      make('rect', { class: 'drag', x: x[0], width: x[1] - x[0], y: this.top, height: this.height - this.top - this.bottom }, this.svg);
    }
  }
  zoom(event) {
    const range = [this.from, this.at(event)].sort((a, b) => a - b);
    this.from = undefined;
    if (Math.abs(this.x(range[1]) - this.x(range[0])) < 8) return;
    this.range = [Math.max(range[0], this.domain[0]), Math.min(range[1], this.domain[1])];
    this.draw();
  }
}

// What ran on which GPU, of one policy: the runs that took most GPU time.
class Gantt {
  constructor(gantt) {
    const figure = make('figure', { class: 'wide' }, document.getElementById('plots'));
    make('figcaption', {}, figure, `GPUs of each node over time, ${gantt.policy}: ${gantt.runs.length} of ${gantt.all} runs, those that took most GPU time`);
    const per = Math.max(1, ...gantt.runs.flatMap(run => run[5].flatMap(place => place[1].map(gpu => gpu + 1))));
    const nodes = results.nodes, row = Math.max(1, Math.min(6, 520 / (nodes * per)));
    const width = 1200, left = 56, height = nodes * per * row + 40;
    const svg = make('svg', { viewBox: `0 0 ${width} ${height}`, 'data-plot': 'gantt', role: 'img', 'aria-label': 'Gantt' }, figure);
    const end = Math.max(1, ...gantt.runs.map(run => run[1])), x = t => left + t / end * (width - left - 12);
    for (const at of ticks(0, end, 10)) {
      make('line', { class: 'axis', x1: x(at), x2: x(at), y1: 6, y2: height - 28 }, svg);
      make('text', { x: x(at), y: height - 12, 'text-anchor': 'middle' }, svg, time(at));
    }
    const accounts = [...new Set(gantt.runs.map(run => run[4]))].sort();
    for (const run of gantt.runs) {
      const colour = colours[accounts.indexOf(run[4]) % colours.length];
      for (const [node, gpus] of run[5]) for (const gpu of gpus) {
        const bar = make('rect', { class: 'run', x: x(run[0]), width: Math.max(.4, x(run[1]) - x(run[0])), y: 6 + (node * per + gpu) * row, height: Math.max(.6, row - .3), fill: colour }, svg);
        bar.addEventListener('pointermove', event => {
          tip.textContent = `job ${run[2]}, ${run[3]} GPUs, ${run[4]}\nnode ${node + 1}, GPU ${gpu}\n${time(run[0])} to ${time(run[1])}`;
          tip.style.cssText = `display:block; left:${event.clientX + 14}px; top:${event.clientY + 10}px`;
        });
      }
    }
    svg.addEventListener('pointerleave', () => { tip.style.display = 'none'; });
  }
}

// How evenly accounts fared: a bar for each account and policy.
class Bars {
  constructor(runs) {
    const figure = make('figure', {}, document.getElementById('plots'));
    make('figcaption', {}, figure, 'Mean slowdown by account (the ten with most GPU time; even bars are fair)');
    this.svg = make('svg', { viewBox: '0 0 600 260', 'data-plot': 'fairness', role: 'img', 'aria-label': 'Fairness' }, figure);
    this.runs = runs;
    this.draw();
  }
  draw() {
    const shown = this.runs.filter(run => !hidden.has(run.policy));
    const names = shown.length ? shown[0].by_account.slice(0, 10).map(group => group.name) : [];
    const value = (run, name) => (run.by_account.find(group => group.name === name) || { slowdown: { mean: 0 } }).slowdown.mean;
    const scale = v => Math.log10(Math.max(1, v));
    const most = Math.max(.1, ...shown.flatMap(run => names.map(name => scale(value(run, name)))));
    this.svg.replaceChildren();
    for (const at of [1, 3, 10, 30, 100, 300, 1000, 10000].filter(v => scale(v) <= most * 1.001)) {
      const y = 230 - scale(at) / most * 215;
      make('line', { class: 'axis', x1: 56, x2: 588, y1: y, y2: y }, this.svg);
      make('text', { x: 50, y: y + 4, 'text-anchor': 'end' }, this.svg, at + '×');
    }
    const slot = 532 / Math.max(names.length, 1), wide = slot * .8 / Math.max(shown.length, 1);
    names.forEach((name, n) => {
      make('text', { x: 56 + slot * (n + .5), y: 246, 'text-anchor': 'middle' }, this.svg, name.slice(0, 9));
      shown.forEach((run, r) => {
        const tall = Math.max(1, scale(value(run, name)) / most * 215);
        const bar = make('rect', { class: 'bar', x: 56 + slot * (n + .1) + wide * r, y: 230 - tall, width: wide * .95, height: tall, fill: run.colour, 'data-policy': run.policy }, this.svg);
        bar.addEventListener('pointermove', event => {
          tip.textContent = `${name}, ${run.policy}: ${number(value(run, name))}×`;
          tip.style.cssText = `display:block; left:${event.clientX + 14}px; top:${event.clientY + 10}px`;
        });
      });
    });
  }
}

function overTime(key, divide) {
  return runs.map(run => {
    const series = run.series[key];
    return { policy: run.policy, colour: run.colour, points: series.mean.map((value, i) => [i * series.width_s, value / divide]) };
  });
}
const curve = key => runs.map(run => ({ policy: run.policy, colour: run.colour, points: run.curves[key] }));

function table(id, head, rows) {
  const node = document.getElementById(id), top = make('tr', {}, make('thead', {}, node));
  head.forEach(title => make('th', {}, top, title));
  const body = make('tbody', {}, node);
  for (const row of rows) {
    const line = make('tr', {}, body);
    for (const cell of row) make('td', cell.attributes || {}, line, cell.text);
  }
}
const columns = [
  ['jobs', 'Jobs', r => r.jobs.ended, v => v], ['jct_mean', 'JCT', r => r.all.jct_s.mean, time],
  ['jct_median', 'median', r => r.all.jct_s.median, time], ['jct_p90', 'p90', r => r.all.jct_s.p90, time],
  ['jct_p99', 'p99', r => r.all.jct_s.p99, time], ['waiting_mean', 'Waiting', r => r.all.waiting_s.mean, time],
  ['waiting_median', 'median', r => r.all.waiting_s.median, time], ['waiting_p90', 'p90', r => r.all.waiting_s.p90, time],
  ['waiting_p99', 'p99', r => r.all.waiting_s.p99, time], ['slowdown_mean', 'Slowdown', r => r.all.slowdown.mean, number],
  ['makespan', 'Makespan', r => r.makespan_s, time], ['allocation', 'GPUs in use', r => r.gpu_allocation_while_jobs_arrive, percent],
  ['queue_mean', 'Queue', r => r.queue.mean, number], ['queue_max', 'most', r => r.queue.max, v => v],
  ['fragmentation', 'Fragmented GPUs', r => r.fragmentation.gpus, number],
  ['rho_p99', 'FTF p99', r => r.all.finish_time_fairness.p99, number], ['rho_max', 'max', r => r.all.finish_time_fairness.max, number],
  ['unfair', 'Unfair', r => r.unfair_fraction, percent], ['starved', 'Starved', r => r.jobs.starved, v => v],
  ['preemptions', 'Preempted', r => r.jobs.preemptions, v => v], ['jain', 'Jain', r => r.jain_index.accounts, v => v.toFixed(3)],
];
const runs = results.runs.map((run, i) => Object.assign(run, { colour: colours[i % colours.length] }));
document.getElementById('about').textContent =
  `${results.trace} on ${results.cluster}: ${results.nodes} nodes, ${results.gpus} GPUs, offered load ${results.offered_load.toFixed(3)}` +
  (results.bad_rows ? `; ${results.bad_rows} of ${results.rows} rows were bad` : '');
table('figures', ['Policy', ...columns.map(column => column[1])], runs.map(run => [{ text: run.policy },
  ...columns.map(([key, , value, show]) => ({ text: show(value(run)), attributes: { 'data-policy': run.policy, 'data-key': key, 'data-value': value(run) } }))]));
const groupRows = key => runs.flatMap(run => run[key].map(group => [{ text: `${group.name} (${run.policy})` }, { text: group.jobs },
  { text: group.gpu_hours.toFixed(1) }, { text: time(group.jct_s.mean) }, { text: time(group.waiting_s.mean) },
  { text: time(group.waiting_s.p99) }, { text: number(group.slowdown.mean) },
  { text: number(group.finish_time_fairness.p99) }, { text: group.starved }]));
const groupHead = ['', 'Jobs', 'GPU hours', 'JCT', 'Waiting', 'p99', 'Slowdown', 'FTF p99', 'Starved'];
table('sizes', groupHead, groupRows('by_size'));
table('accounts', groupHead, groupRows('by_account').slice(0, 200));

const plots = [
  new Plot('utilisation', 'GPUs in use', overTime('gpus_allocated', results.gpus || 1), { steps: true, fraction: true, highest: 1.02 }),
  new Plot('queue', 'Jobs waiting', overTime('jobs_waiting', 1), { steps: true }),
  new Plot('waiting', 'Jobs that waited no longer than', curve('waiting'), { log: true, fraction: true, highest: 1.02 }),
  new Plot('jct', 'Jobs that were done within', curve('jct'), { log: true, fraction: true, highest: 1.02 }),
  new Plot('demand', 'GPUs waited for', overTime('gpus_waited_for', 1), { steps: true }),
  new Plot('fragmentation', 'Free GPUs of no use to usual jobs', overTime('milligpus_fragmented', 1000), { steps: true }),
  new Plot('rho', 'Jobs with a finish-time fairness (rho) of at most', curve('fairness'), { log: true, ratio: true, fraction: true, highest: 1.02 }),
  new Bars(runs),
];
if (results.gantt) new Gantt(results.gantt);
for (const run of runs) {
  const button = make('button', {}, document.getElementById('legend'));
  make('i', { style: `background:${run.colour}` }, button);
  button.append(run.policy);
  button.addEventListener('click', () => {
    hidden.has(run.policy) ? hidden.delete(run.policy) : hidden.add(run.policy);
    button.classList.toggle('off');
    plots.forEach(plot => plot.draw());
  });
}
)page";

}  // namespace

std::string_view page_head() { return kHead; }
std::string_view page_script() { return kScript; }

}  // namespace berth::report
