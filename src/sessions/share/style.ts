/** The colours and the type of the viewer, as far as one page needs them. */
export const sharedStyle = `
:root{color-scheme:light dark;--ground:light-dark(#fbfaf8,#15171a);--sunken:light-dark(#f2f0ec,#101214);--raised:light-dark(#fff,#1c1f23);--line:light-dark(#e2dfd8,#2d3238);
--text:light-dark(#22252a,#e4e6e9);--dim:light-dark(#5e646d,#9ba3ad);--accent:light-dark(#0c6b63,#5ec8bb);--danger:light-dark(#a52a1e,#f0938a);
--added:light-dark(#dcf3e0,#16361f);--removed:light-dark(#fbe3e0,#43211d);--mono:ui-monospace,"SF Mono","Cascadia Code","DejaVu Sans Mono",Menlo,Consolas,monospace;
font:16px/1.55 system-ui,-apple-system,"Segoe UI","Noto Sans",sans-serif;background:var(--ground);color:var(--text)}
*{box-sizing:border-box}
body{margin:0;overflow-wrap:anywhere}
main{max-width:56rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .5rem}
a{color:var(--accent)}
.facts{color:var(--dim);display:flex;flex-wrap:wrap;gap:.25rem 1rem;margin:0}
.outline{margin:1rem 0;color:var(--dim)}
.outline ol{padding-left:2rem;margin:.5rem 0}
article{padding:.75rem 0;border-top:1px solid var(--line)}
article.person{background:var(--raised);border:1px solid var(--line);border-radius:8px;padding:.75rem 1rem;margin:.75rem 0}
article.machine{color:var(--dim)}
.who{margin:0 0 .25rem;display:flex;gap:.75rem;color:var(--dim)}
.who b{color:var(--text)}
.who time{margin-left:auto;font-variant-numeric:tabular-nums}
.text>:first-child{margin-top:0}
.text>:last-child{margin-bottom:0}
pre,code{font-family:var(--mono);font-size:.86em}
pre{background:var(--sunken);border:1px solid var(--line);border-radius:8px;padding:.75rem .9rem;overflow-x:auto;line-height:1.45;max-height:32rem}
table{border-collapse:collapse;display:block;overflow-x:auto}
th,td{border:1px solid var(--line);padding:.25rem .5rem}
.tool{margin:.4rem 0}
.tool summary{cursor:pointer;color:var(--dim)}
.failed,.removed{color:var(--danger)}
.added{color:var(--accent)}
.diff ins,.diff del,.diff span{display:block;text-decoration:none;white-space:pre}
.diff ins{background:var(--added)}
.diff del{background:var(--removed)}
@media print{article,pre{break-inside:avoid}pre{max-height:none;white-space:pre-wrap}}
`;
