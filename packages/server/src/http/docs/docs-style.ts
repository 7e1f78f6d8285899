/** The style of the page: the tokens of the console (neutral grey, one accent), light and dark, from 320 px up. */
export const docsStyle = `:root {
  --bg: #f6f6f6; --surface: #fff; --sunken: #eee; --border: #dedede; --control: #8a8a8a;
  --text: #1a1a1a; --text-2: #525252; --text-3: #6b6b6b; --accent: #1f5fd1;
  --get: #1f5fd1; --post: #1b6e3c; --put: #8a5a00; --patch: #6a3fb5; --delete: #b3261e;
  --mono: "JetBrains Mono", ui-monospace, Menlo, Consolas, monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #121212; --surface: #1a1a1a; --sunken: #0c0c0c; --border: #2e2e2e; --control: #757575;
    --text: #ededed; --text-2: #b8b8b8; --text-3: #949494; --accent: #7ea6ff;
    --get: #7ea6ff; --post: #58c585; --put: #f0b84a; --patch: #b79cf2; --delete: #ff8a80;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 72px; }
body {
  margin: 0; background: var(--bg); color: var(--text); overflow-wrap: break-word;
  font: 14px/20px "Inter Variable", system-ui, "PingFang SC", "Microsoft YaHei", "Noto Sans SC", sans-serif;
}
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
main:focus { outline: none; }
code, pre, .method { font-family: var(--mono); font-size: 13px; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 16px; top: 12px; z-index: 2; background: var(--surface); padding: 4px 8px; }

.bar {
  position: sticky; top: 0; z-index: 1; display: flex; align-items: center; gap: 16px; min-height: 56px;
  padding: 8px 24px; background: var(--surface); border-bottom: 1px solid var(--border);
}
.brand { color: var(--text); font-weight: 600; font-size: 16px; margin-right: auto; white-space: nowrap; }
.brand span { color: var(--text-3); font-weight: 400; font-size: 13px; }
#filter {
  width: 240px; min-width: 0; height: 36px; padding: 0 12px; font: inherit; color: var(--text);
  background: var(--bg); border: 1px solid var(--control); border-radius: 4px;
}

.columns { display: grid; grid-template-columns: 280px minmax(0, 1fr); max-width: 1280px; margin: 0 auto; }
nav {
  position: sticky; top: 57px; align-self: start; max-height: calc(100vh - 57px); overflow-y: auto;
  padding: 24px 8px 48px 24px;
}
nav h2 { margin: 24px 0 8px; font-size: 12px; line-height: 16px; font-weight: 500; color: var(--text-3); }
nav div:first-child h2 { margin-top: 0; }
nav summary { padding: 4px 0; font-weight: 600; cursor: pointer; }
nav ul { list-style: none; margin: 0 0 8px; padding: 0; }
nav li a {
  display: grid; grid-template-columns: 44px minmax(0, 1fr); padding: 4px 8px; border-radius: 4px; color: var(--text-2);
}
nav li a:hover, nav li a[aria-current] { background: var(--sunken); color: var(--text); text-decoration: none; }
nav .method { font-size: 11px; }

main { padding: 24px 24px 96px; }
h1 { margin: 0 0 8px; font-size: 20px; line-height: 28px; font-weight: 600; }
h2 { margin: 48px 0 16px; font-size: 20px; line-height: 28px; font-weight: 600; }
h3 { margin: 0 0 4px; font-size: 16px; line-height: 24px; font-weight: 600; }
h3 a { color: inherit; }
h4 { margin: 24px 0 4px; font-size: 12px; line-height: 16px; font-weight: 500; color: var(--text-3); }
p { margin: 8px 0; max-width: 68ch; }
.lead dl { margin: 16px 0 0; }
.lead dl div { display: grid; grid-template-columns: 200px minmax(0, 1fr); gap: 16px; padding: 8px 0; border-top: 1px solid var(--border); }
.lead dd { margin: 0; color: var(--text-2); }

article { margin: 0 0 16px; padding: 16px; background: var(--surface); border: 1px solid var(--border); border-radius: 8px; }
article:target { border-color: var(--accent); }
.line { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 12px; max-width: none; margin: 0 0 8px; }
.line code { font-size: 14px; min-width: 0; }
@media (min-width: 861px) { p > code, td:nth-child(3) code { white-space: nowrap; } .line code { white-space: normal; } }
.access { color: var(--text-3); font-size: 12px; }
.method { font-weight: 600; }
.GET { color: var(--get); } .POST { color: var(--post); } .PUT { color: var(--put); }
.PATCH { color: var(--patch); } .DELETE { color: var(--delete); }

figure + table { margin-top: 16px; }
table { width: 100%; border-collapse: collapse; font-size: 13px; table-layout: fixed; }
th { padding: 4px 16px 4px 0; text-align: left; font-weight: 500; font-size: 12px; color: var(--text-3); }
td { padding: 8px 16px 8px 0; vertical-align: top; border-top: 1px solid var(--border); font-variant-numeric: tabular-nums; }
th:nth-child(1) { width: 30%; } th:nth-child(2) { width: 30%; }
td:nth-child(2) { color: var(--text-2); }
tr:target td { background: var(--sunken); }
abbr { color: var(--delete); text-decoration: none; }
details { margin: 16px 0 0; }
article summary { cursor: pointer; font-weight: 500; }
summary span { color: var(--text-3); font-weight: 400; }

figure { position: relative; margin: 16px 0 0; background: var(--sunken); border-radius: 4px; }
figcaption { padding: 8px 12px 0; font-size: 12px; line-height: 16px; color: var(--text-3); }
pre { margin: 0; padding: 8px 12px 12px; overflow-x: auto; }
figure button {
  position: absolute; top: 4px; right: 4px; height: 28px; padding: 0 8px; font: inherit; font-size: 12px;
  color: var(--text-2); background: var(--surface); border: 1px solid var(--border); border-radius: 4px; cursor: pointer;
}
figure button:hover { color: var(--text); border-color: var(--control); }

@media (max-width: 860px) {
  .bar { flex-wrap: wrap; padding: 8px 16px; gap: 4px 16px; }
  #filter { order: 1; width: 100%; height: 44px; }
  .columns { display: block; }
  nav { position: static; max-height: none; padding: 16px 16px 0; }
  nav li a { padding: 12px 8px; }
  main { padding: 16px 16px 64px; }
  html { scroll-padding-top: 120px; }
  .lead dl div { display: block; }
  table, tbody, tr, td { display: block; }
  thead { position: absolute; left: -999px; }
  tr { padding: 8px 0; border-top: 1px solid var(--border); }
  td { padding: 0; border: 0; }
  td:empty { display: none; }
}
@media print {
  .bar, nav, figure button { display: none; }
  .columns { display: block; }
}
`;
