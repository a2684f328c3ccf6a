// Another user of the machine, who looks for codes in the arguments of all processes and uses each at once. Prints one line per finding.
import { readdirSync, readFileSync } from 'node:fs';

const origin = process.argv[2];
const seen = new Set();
console.log('looking');
for (;;) {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const said = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      for (const [found] of said.matchAll(/open(?:\?[\w-]*)?[#/][\w-]{32}|\/[^\0]*open\.html/g)) {
        if (seen.has(found)) continue;
        seen.add(found);
        let text = found;
        if (found.endsWith('.html')) {
          // The path is no secret. The file's content is.
          try {
            text = readFileSync(found, 'utf8');
          } catch (error) {
            console.log(`${error.code} ${found}`);
            continue;
          }
        }
        console.log(`FOUND ${origin} ${text}`);
      }
    } catch {
      // The process has ended.
    }
  }
  await new Promise((resolve) => setTimeout(resolve, 5));
}
