// Which lines of a screen are for what. On a smaller screen, less stands around the list.

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface Layout {
  /** Lines of the list. */
  readonly list: number;
  /** Lines about the chosen session, including the rule above them; 0 if there is no room. */
  readonly about: number;
  readonly help: boolean;
}

export function layout({ rows }: Size): Layout {
  const help = rows >= 5;
  const body = Math.max(0, rows - 1 - (help ? 1 : 0));
  const about = body >= 10 ? Math.min(12, Math.floor(body / 2)) : 0;
  return { list: body - about, about, help };
}
