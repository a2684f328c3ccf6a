// Earlier sessions of a group, under a name.
import type { Connection } from '../sqlite/connection.ts';
import { overwriting } from '../sqlite/overwriting.ts';
import type { GroupsPort } from './port.ts';
import { type BookmarkRow, bookmarkColumns, groupStatements, toBookmark } from './rows.ts';

export function groupBookmarks(connection: Connection): Pick<GroupsPort, 'addBookmark' | 'bookmarks' | 'bookmark'> {
  const { keep } = groupStatements(connection);
  const { read } = connection;
  const write = overwriting(connection);
  const bookmarksOf = connection.statement<[string], BookmarkRow>(
    `SELECT ${bookmarkColumns} FROM bookmarks WHERE group_name = ? ORDER BY archived_at DESC, id DESC`,
  );
  const bookmarkAt = connection.statement<[string, number], BookmarkRow>(
    `SELECT ${bookmarkColumns} FROM bookmarks WHERE group_name = ? AND id = ?`,
  );

  return {
    async addBookmark(group, leaving, at) {
      return write(() => keep(group, leaving, at));
    },
    async bookmarks(group) {
      return read(() => bookmarksOf.all(group).map(toBookmark));
    },
    async bookmark(group, id) {
      const row = read(() => bookmarkAt.get(group, id));
      return row && toBookmark(row);
    },
  };
}
