// Roo Code: a fork of the older Cline extension, with the same files in another folder.
import { clineLike, extensionFolders } from '../cline/index.ts';

const folders = (home: string) => extensionFolders(home, 'rooveterinaryinc.roo-cline');

export const roo = clineLike({
  name: 'roo',
  title: 'Roo Code',
  root: (_, home) => folders(home)[0] as string,
  also: (_, home) => folders(home).slice(1),
  // There is no command line to resume with.
  resume: () => [],
});
