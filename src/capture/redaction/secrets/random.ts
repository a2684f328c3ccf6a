// Whether a value is made of characters as a generator of keys makes them, rather than a word or a name in code.

/** Short for something: these stand in names in capitals. */
const acronym =
  /JSON|XML|HTML|URLs?|URI|HTTPS?|CSS|SQL|APIs?|UUIDs?|GUID|JWT|IDs?|IO|DB|UI|UX|SDK|CLI|AWS|TTL|DNS|TCP|SSL|TLS|PDF|CSV|UTF|SSH|DOM|RPC|MCP|LLM|PR|CI|OS|AST|SSE|EOF|ASCII|OAuth/g;
const wordInName = /[A-Z]?[a-z]{2,}/g;
const shortWord =
  /^(?:by|id|or|to|in|is|of|on|db|ui|no|go|do|my|at|as|if|io|up|us|we|js|ts|an|be|re|un|ok|fn|cb|el|tx|rx|get|set|for|the|and|all|any|new|old|max|min|key|map|add|has|not|raw|run|one|app|can|str|num|ctx|cfg|src|dst|tmp|dir|msg|err|req|res|url|api|sql|css|xml|txt|pdf|csv|sync|http|html|json|args|spec)s?$/i;

/** Letters alone, of both cases, of which less than half can be read as words. One of nine random keys of 14 characters has no digit. */
export function isScrambled(value: string): boolean {
  if (value.length < 12 || value.length > 200 || !/^[A-Za-z]+$/.test(value)) return false;
  if ((value.match(/[A-Z]/g)?.length ?? 0) < 3 || (value.match(/[a-z]/g)?.length ?? 0) < 3) return false;
  const rest = value.replace(acronym, '');
  let legible = value.length - rest.length;
  for (const [word] of rest.matchAll(wordInName))
    if ((word.length >= 4 && /[aeiouy]/i.test(word)) || shortWord.test(word)) legible += word.length;
  return legible < value.length / 2;
}

/** Letters and digits mixed as no person would: some part between dashes and dots is neither a word nor a number. */
export function isRandom(value: string, sure: boolean): boolean {
  if (!/^[\w+/=.~:@%!#$^*?-]+$/.test(value)) return false;
  if (/^\d+(?:\.\d+)*$/.test(value) || /^\d{4}-\d\d-\d\d/.test(value)) return false;
  if (isScrambled(value)) return true;
  if (/^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/.test(value) && !/\d[A-Za-z]+\d/.test(value)) return false;
  const parts = value.split(/[-_.:/@]+/);
  return parts.some(
    (part) =>
      (part.length >= 6 &&
        /\d/.test(part) &&
        /[A-Za-z]/.test(part) &&
        (sure || !/^[A-Za-z]+\d{1,4}$/.test(part)) &&
        !/^v?\d+$/.test(part)) ||
      (part.length >= 20 &&
        /[A-Z]/.test(part.slice(1)) &&
        /[a-z]/.test(part) &&
        /^(?:[A-Za-z]{0,3}[A-Z]{2,}[a-z]|.*[a-z][A-Z][A-Z])/.test(part)) ||
      (sure && /^[a-f0-9]{16,}$/.test(part)),
  );
}
