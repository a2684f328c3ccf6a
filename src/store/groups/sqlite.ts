// The port of groups, composed from its parts.
import type { Connection } from '../sqlite/connection.ts';
import { groupBookmarks } from './bookmarks.ts';
import { groupLife } from './life.ts';
import { groupLists } from './lists.ts';
import { groupPointers } from './pointers.ts';
import type { GroupsPort } from './port.ts';

export function groupsPort(connection: Connection): GroupsPort {
  const { list, get, pointer, of } = groupLists(connection);
  const { create, remove } = groupLife(connection);
  const { setPointer, leaveSession, returnTo } = groupPointers(connection);
  const { addBookmark, bookmarks, bookmark } = groupBookmarks(connection);
  return {
    list,
    get,
    pointer,
    of,
    create,
    remove,
    setPointer,
    leaveSession,
    returnTo,
    addBookmark,
    bookmarks,
    bookmark,
  };
}
