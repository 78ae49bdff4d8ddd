// What the reference of the API adds to the look of the documentation.

export const STYLE = `
.side .home { display: block; margin: 0 .5rem .75rem; color: var(--soft); text-decoration: none; }
.side .home:hover { color: var(--text); }
.filter { width: 100%; height: 2rem; margin-bottom: .75rem; padding: 0 .65rem; font: inherit; color: inherit; background: var(--surface); border: 1px solid var(--line-strong); border-radius: 7px; }
.filter::placeholder { color: var(--faint); }
.nothing { color: var(--soft); }
.operations li a { display: flex; gap: .5rem; align-items: baseline; color: var(--text); }
.operations .method { min-width: 3.4rem; font-size: .65rem; }
.reference { max-width: 64rem; }
.reference > section { margin-top: 3.5rem; padding-top: 2rem; border-top: 1px solid var(--line); }
.reference h2 { margin-top: 0; }
.reference h3 { margin-top: 0; font-size: 1.2rem; }
.reference h3 a { color: inherit; text-decoration: none; }
.reference h3 a:hover { text-decoration: underline; }
.meta { color: var(--soft); display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 0 0 1rem; }
.operation { margin-top: 2.5rem; padding: 1.5rem; border: 1px solid var(--line); border-radius: 12px; }
.operation:target { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
.address { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
.address code { font-size: .95rem; overflow-wrap: anywhere; }
.method {
  display: inline-block; padding: .1rem .45rem; border-radius: 5px; text-align: center; font-weight: 700;
  font-size: .75rem; letter-spacing: .03em; color: light-dark(#ffffff, #10151c); background: var(--soft);
}
.m-get { background: var(--info); } .m-post { background: var(--good); }
.m-put, .m-patch { background: var(--warn); } .m-delete { background: var(--bad); }
.lock { font-size: .85rem; color: var(--soft); }
.deprecated { font-size: .75rem; color: var(--warn); border: 1px solid; border-radius: 5px; padding: .05rem .4rem; }
.reference tbody th { font-weight: 400; }
.reference tbody th code { font-weight: 600; background: none; padding: 0; }
tr.caption th { background: var(--accent-soft); font-weight: 600; font-size: .85rem; }
.reference td { min-width: 5rem; }
.reference td:last-child { min-width: 14rem; }
.type { font-family: var(--mono); font-size: .85em; overflow-wrap: break-word; }
.required { color: var(--bad); font-weight: 600; }
.limits { display: block; color: var(--soft); overflow-wrap: anywhere; }
.media { margin: .75rem 0 .25rem; font-size: .85rem; color: var(--soft); }
.response { border: 1px solid var(--line); border-radius: 8px; margin: .5rem 0; }
.response summary { cursor: pointer; padding: .55rem .9rem; font-weight: 600; }
.response summary .about { font-weight: 400; color: var(--soft); }
.response .body { padding: 0 .9rem .5rem; border-top: 1px solid var(--line); }
.errors { list-style: none; margin: .25rem 0 0; padding: 0; font-size: .875rem; }
.errors .status { display: inline-block; min-width: 2.25rem; font-weight: 600; }
.status { font-variant-numeric: tabular-nums; color: var(--soft); }
.s2 { color: var(--good); } .s4 { color: var(--warn); } .s5 { color: var(--bad); }
@media (max-width: 40rem) {
  .operation { padding: 1rem .75rem; border-left: 0; border-right: 0; border-radius: 0; margin-inline: -1rem; }
  .reference table, .reference tbody, .reference tr { display: block; }
  .reference thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  .reference tbody tr { padding: .5rem .75rem; border-top: 1px solid var(--line); }
  .reference tbody tr:first-child { border-top: 0; }
  .reference tbody tr > *, .reference thead + tbody tr:first-child > * { display: inline-block; padding: 0 .5rem 0 0; border: 0; min-width: 0; }
  .reference tbody td:last-child { display: block; min-width: 0; }
  .reference tr.caption { background: var(--accent-soft); }
}
`;
