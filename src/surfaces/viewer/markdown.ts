// Turns untrusted Markdown into a fragment without active content. Tags become text, and links may use only http and mail.
import DOMPurify from 'dompurify';
import { Marked } from 'marked';
import { isTooDear } from '../../schema/markdown-cost.ts';

const asText = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

const marked = new Marked({
  gfm: true,
  breaks: false,
  renderer: {
    // Show tags as text: an answer about a tag must not lose the tag.
    html: ({ text }) => asText(text),
    // The browser would fetch the picture, so show only its description.
    image: ({ text, href }) => `<span class="picture">${asText(text || href)}</span>`,
  },
});

const allowed = {
  ALLOWED_TAGS: [
    ...['p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'blockquote', 'pre', 'code'],
    ...['em', 'strong', 'del', 'a', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'span'],
  ],
  ALLOWED_ATTR: ['href', 'class', 'start', 'align'],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
} as const;

/** Contract: never throws. `lines`: keeps line breaks of the text. */
export function toFragment(text: string, { lines = false }: { lines?: boolean } = {}): DocumentFragment {
  if (isTooDear(text)) return plain(text);
  let html: string;
  try {
    html = marked.parse(text, { async: false, breaks: lines });
  } catch {
    // Quotes nested deeper than the parser can go.
    return plain(text);
  }
  const fragment = DOMPurify.sanitize(html, {
    ...allowed,
    ALLOWED_TAGS: [...allowed.ALLOWED_TAGS],
    ALLOWED_ATTR: [...allowed.ALLOWED_ATTR],
  });
  for (const link of fragment.querySelectorAll('a')) {
    link.rel = 'noopener noreferrer nofollow';
    link.target = '_blank';
  }
  // Make wide blocks scrollable by keyboard.
  for (const wide of fragment.querySelectorAll<HTMLElement>('pre, table')) wide.tabIndex = 0;
  // A list in Hebrew has its bullets at the right.
  for (const block of fragment.querySelectorAll<HTMLElement>('ul, ol, blockquote, table')) block.dir = 'auto';
  return fragment;
}

function plain(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  const pre = document.createElement('pre');
  pre.textContent = text;
  pre.tabIndex = 0;
  fragment.append(pre);
  return fragment;
}
