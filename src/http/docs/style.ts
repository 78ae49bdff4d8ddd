// The look of the documentation: the colours and fonts of the dashboard, three columns that become one.
import { TOKENS } from '../look/tokens.ts';

const FRAME = `
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { scroll-behavior: smooth; scroll-padding-top: 4.5rem; background: var(--canvas); }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0; background: var(--surface); color: var(--text); font: .9375rem/1.65 var(--sans);
  font-feature-settings: 'cv11', 'ss03'; -webkit-font-smoothing: antialiased; }
a { color: var(--accent); text-underline-offset: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
button { font: inherit; color: inherit; cursor: pointer; }
kbd { font: .75rem/1 var(--mono); padding: .15rem .35rem; border: 1px solid var(--line-strong); border-radius: 4px; color: var(--soft); }
.icon { width: 1.125rem; height: 1.125rem; flex: none; fill: none; stroke: currentColor; stroke-width: 1.6; stroke-linecap: round; }
.icon .half { fill: currentColor; stroke: none; }
.skip { position: absolute; left: -100rem; top: .5rem; padding: .5rem 1rem; background: var(--surface); z-index: 4; }
.skip:focus { left: .5rem; }
.bar { position: sticky; top: 0; z-index: 3; display: flex; align-items: center; gap: .75rem; height: 3.5rem; padding: 0 1.25rem;
  background: var(--surface); border-bottom: 1px solid var(--line); font-size: .875rem; }
.brand { display: flex; align-items: center; gap: .55rem; font-weight: 600; letter-spacing: -.01em; color: var(--text); text-decoration: none; }
.brand .docs { color: var(--soft); font-weight: 400; }
.mark { width: 1.5rem; height: 1.5rem; flex: none; }
.bar .search { display: flex; align-items: center; gap: .5rem; margin: 0 auto; width: min(26rem, 40vw); height: 2.125rem; padding: 0 .65rem;
  color: var(--soft); background: var(--canvas); border: 1px solid var(--line); border-radius: 8px; text-align: left; }
.bar .search:hover { border-color: var(--line-strong); }
.bar .search span { flex: 1; }
.bar .out { color: var(--soft); text-decoration: none; }
.bar .out:hover { color: var(--text); }
.bar .plain { display: inline-flex; align-items: center; gap: .4rem; height: 2.125rem; padding: 0 .5rem; background: none; border: 0; border-radius: 8px; color: var(--soft); }
.bar .plain:hover { background: var(--hover); color: var(--text); }
.bar .menu { display: none; }
.page { display: grid; grid-template-columns: 16.5rem minmax(0, 1fr) 14rem; max-width: 96rem; margin: 0 auto; }
.side, .toc { position: sticky; top: 3.5rem; align-self: start; height: calc(100vh - 3.5rem); overflow-y: auto; padding: 1.5rem 1rem 3rem 1.25rem; font-size: .8125rem; }
.side { border-right: 1px solid var(--line); }
.side li, .toc li { margin: 0; }
.side ul, .toc ul { list-style: none; margin: 0; padding: 0; }
.group { margin: 1.25rem .5rem .35rem; font-size: .75rem; font-weight: 600; color: var(--text); }
.side > .group:first-child { margin-top: 0; }
.side li a, .toc li a { display: block; padding: .28rem .5rem; border-radius: 6px; color: var(--soft); text-decoration: none; overflow-wrap: anywhere; }
.side li a:hover, .toc li a:hover { background: var(--hover); color: var(--text); }
.side li a[aria-current] { background: var(--accent-soft); color: var(--accent-strong); font-weight: 500; }
.toc .d3 a { padding-left: 1.25rem; }
.toc li a.here { color: var(--accent-strong); font-weight: 500; }
main { min-width: 0; padding: 2.25rem clamp(1rem, 4vw, 3.5rem) 5rem; outline: 0; }
@media (max-width: 80rem) { .page { grid-template-columns: 16.5rem minmax(0, 1fr); } .toc { display: none; } }
@media (max-width: 60rem) {
  .page { display: block; }
  .js .bar .menu { display: inline-flex; }
  .side { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); }
  .js .side { display: none; }
  .js .menu-open .side { display: block; position: fixed; inset: 3.5rem 0 0; height: auto; z-index: 2; background: var(--surface); font-size: .9375rem; }
  .js .menu-open .side li a { padding: .45rem .5rem; }
  .js body.menu-open { overflow: hidden; }
}
@media (max-width: 40rem) {
  .bar { gap: .35rem; padding: 0 .75rem; }
  .bar .search { width: auto; margin: 0 0 0 auto; }
  .bar .search span, .bar kbd, .brand .docs, .bar .menu span, .bar .out { display: none; }
}
@media print { .bar, .side, .toc, .copy, .skip, .end { display: none !important; } .page { display: block; } }
`;

const PROSE = `
h1, h2, h3, h4 { line-height: 1.25; text-wrap: balance; }
h1 { font-size: 2rem; margin: 0 0 .75rem; letter-spacing: -.022em; }
h2 { font-size: 1.375rem; margin: 2.5rem 0 .5rem; letter-spacing: -.015em; }
h3 { font-size: 1.0625rem; margin: 1.75rem 0 .4rem; }
h4 { font-size: .95rem; margin: 1.5rem 0 .5rem; }
.anchor { color: inherit; text-decoration: none; }
.anchor:hover::after { content: ' #'; color: var(--accent); }
.prose { max-width: 50rem; }
.prose > h2 { padding-top: 1.5rem; border-top: 1px solid var(--line); }
.crumb { margin: 0 0 .35rem; font-size: .8125rem; font-weight: 500; color: var(--accent); }
.lead { font-size: 1.0625rem; color: var(--soft); }
p { margin: .65rem 0; max-width: 74ch; }
li { margin: .25rem 0; max-width: 74ch; }
code, pre { font-family: var(--mono); font-feature-settings: 'calt' 0; }
code { font-size: .86em; background: var(--sunken); padding: .1em .32em; border-radius: 4px; overflow-wrap: anywhere; }
pre { margin: .75rem 0 1.1rem; padding: .9rem 1rem; overflow-x: auto; background: var(--sunken); border: 1px solid var(--line); border-radius: 10px; line-height: 1.55; }
pre code { background: none; padding: 0; font-size: .8125rem; overflow-wrap: normal; }
.t-c { color: var(--soft); font-style: italic; } .t-s { color: var(--good); } .t-k { color: var(--info); }
.t-n { color: var(--accent); } .t-v { color: var(--warn); }
.scroll { overflow-x: auto; margin: .75rem 0 1.1rem; border: 1px solid var(--line); border-radius: 10px; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; }
th, td { text-align: left; vertical-align: top; padding: .5rem .75rem; border-top: 1px solid var(--line); }
thead th { border-top: 0; background: var(--canvas); font-size: .8125rem; color: var(--soft); white-space: nowrap; }
tbody tr:first-child > * { border-top: 0; }
thead + tbody tr:first-child > * { border-top: 1px solid var(--line); }
td { min-width: 6rem; }
td:first-child code { overflow-wrap: normal; }
.block { position: relative; }
.copy { position: absolute; top: .45rem; right: .45rem; padding: .15rem .55rem; font-size: .75rem; color: var(--soft); background: var(--surface);
  border: 1px solid var(--line-strong); border-radius: 6px; opacity: 0; }
.block:hover .copy, .copy:focus-visible { opacity: 1; }
@media (hover: none) { .copy { opacity: 1; } }
.label { margin: .75rem 0 .25rem; font-size: .8125rem; color: var(--soft); }
/* Until the script has made the tabs, what they will hide takes no room: nothing moves under who reads. */
.js .tabs:not(.ready) > .tab + .tab, .js .tabs:not(.ready) > .tab:not(:only-child) > .label { display: none; }
.js .tabs:not(.ready)::before { content: ''; display: block; height: 2.1rem; }
.tablist { display: flex; gap: .25rem; margin: .75rem 0 -.35rem; }
.tablist button { padding: .25rem .7rem; font-size: .8125rem; color: var(--soft); background: none; border: 0; border-radius: 7px; }
.tablist button:hover { color: var(--text); background: var(--hover); }
.tablist button[aria-selected='true'] { color: var(--accent-strong); background: var(--accent-soft); font-weight: 500; }
.tablist + .tab .label, .tablist ~ .tab .label { display: none; }
.end { display: flex; flex-direction: column; gap: 1rem; max-width: 50rem; margin-top: 3.5rem; padding-top: 1.25rem; border-top: 1px solid var(--line); font-size: .8125rem; }
.source { color: var(--soft); }
.steps { display: flex; gap: 1rem; }
.steps a { flex: 0 1 50%; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: 10px; font-size: .9375rem; font-weight: 500; text-decoration: none; }
.steps a:hover { border-color: var(--accent); }
.steps span { display: block; font-size: .75rem; font-weight: 400; color: var(--soft); }
.steps .next { margin-left: auto; text-align: right; }
.row { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.25rem 0; }
.button { display: inline-flex; align-items: center; height: 2.375rem; padding: 0 1rem; font-weight: 500; font-size: .875rem; color: var(--on-accent); background: var(--accent); border: 1px solid transparent; border-radius: 8px; text-decoration: none; }
.button:hover { background: var(--accent-strong); }
.button.quiet { color: var(--text); background: var(--surface); border-color: var(--line-strong); }
.button.quiet:hover { background: var(--hover); }
.prose.start > h2 { border: 0; padding: 0; font-size: 1.125rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(14.5rem, 1fr)); gap: .75rem; list-style: none; margin: 0; padding: 0; }
.cards li { margin: 0; }
.card { display: block; height: 100%; padding: .8rem 1rem; border: 1px solid var(--line); border-radius: 10px; color: var(--text); text-decoration: none; font-size: .875rem; }
.card:hover { border-color: var(--accent); }
.card strong { display: block; font-weight: 600; }
.card span { color: var(--soft); font-size: .8125rem; }
.drawing { display: block; margin: 1.25rem 0; overflow-x: auto; }
.drawing svg { display: block; width: 100%; min-width: 34rem; height: auto; }
.drawing text { fill: var(--text); font-family: var(--sans); }
.drawing .note { fill: var(--soft); }
.drawing .box { fill: var(--canvas); stroke: var(--line-strong); }
.drawing .main { fill: var(--accent-soft); stroke: var(--accent); }
.drawing .line { stroke: var(--soft); fill: none; }
.drawing .tip { fill: var(--soft); }
`;

const SEARCH = `
dialog.find { width: min(40rem, calc(100vw - 2rem)); max-height: min(34rem, 80vh); margin: 10vh auto auto; padding: 0; overflow: hidden; color: var(--text);
  background: var(--surface); border: 1px solid var(--line-strong); border-radius: 14px; box-shadow: var(--shadow-lg); }
dialog.find[open] { display: flex; flex-direction: column; }
dialog.find::backdrop { background: rgb(8 12 16 / 45%); }
.find input { width: 100%; height: 3.25rem; padding: 0 1.1rem; font: inherit; font-size: 1rem; color: inherit; background: none; border: 0; border-bottom: 1px solid var(--line); outline: 0; }
.find input::placeholder { color: var(--faint); }
.find ul { flex: 1; margin: 0; padding: .4rem; overflow-y: auto; list-style: none; }
.find li { max-width: none; margin: 0; padding: .5rem .7rem; border-radius: 8px; font-size: .875rem; cursor: pointer; }
.find li[aria-selected='true'] { background: var(--accent-soft); }
.find li b { display: block; font-weight: 500; }
.find li span { display: block; color: var(--soft); font-size: .8125rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.find mark { color: inherit; background: none; text-decoration: underline; text-decoration-color: var(--accent); text-decoration-thickness: 2px; }
.find p { margin: 0; padding: .6rem 1.1rem; color: var(--soft); font-size: .8125rem; }
`;

export const STYLE = TOKENS + FRAME + PROSE + SEARCH;
