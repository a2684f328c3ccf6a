import { expect, it } from 'vitest';
import type { ProjectPlace } from '../../store/projects/port.ts';
import { homeRules, homesOf } from './homes.ts';

const place = (path: string, repository?: string, repositories: string[] = []): ProjectPlace => ({
  ...{ path, repository, repositories },
  name: path.split('/').at(-1) ?? path,
});

const homes = (...places: ProjectPlace[]) => Object.fromEntries(homesOf(places));

it('clones of a repository share a page, named after the repository if their folders differ', () => {
  const acme = 'github.com/acme/app';
  expect(homes(place('/w/app', acme), place('/x/app', acme))).toEqual({ '/w/app': 'app', '/x/app': 'app' });
  expect(homes(place('/w/app', acme), place('/w/second', acme))).toEqual({ '/w/app': 'app', '/w/second': 'app' });
  expect(homes(place('/w/one', acme), place('/w/two', acme))).toEqual({ '/w/one': 'app', '/w/two': 'app' });
});

it('clones without a remote share the page of the first name', () => {
  expect(homes(place('/w/b', 'root:1'), place('/w/a', 'root:1'))).toEqual({ '/w/a': 'a', '/w/b': 'a' });
});

it('a folder that exists only once keeps its own name', () => {
  expect(homes(place('/w/checkout', 'github.com/acme/app'))).toEqual({ '/w/checkout': 'checkout' });
});

it('a repository that a session names is the one that git names with its host', () => {
  const found = homes(place('/gone/app', undefined, ['Acme/App']), place('/w/work', 'github.com/acme/app'));
  expect(found).toEqual({ '/gone/app': 'app', '/w/work': 'app' });
});

it('a repository is told from others that sessions name, by the name of the folder', () => {
  const [one, other] = [
    place('/w/app', undefined, ['acme/app', 'acme/tide']),
    place('/x/app', undefined, ['acme/app']),
  ];
  expect(homes(one, other)).toEqual({ '/w/app': 'app', '/x/app': 'app' });
  expect(homes(place('/w/app', undefined, ['acme/tide']), place('/w/tide', undefined, ['acme/tide']))).toEqual({
    ...{ '/w/app': 'app', '/w/tide': 'tide' },
  });
});

it('a repository and its fork are one if sessions of a folder name both', () => {
  const folders = [['acme/app'], ['ann/app', 'ben/app'], ['acme/app', 'ann/app'], ['ben/app'], ['eve/app']];
  const places = folders.map((repositories, i) => place(`/${i}/app`, undefined, repositories));
  const found = Object.values(homes(...places));
  expect(new Set(found.slice(0, 4)).size).toBe(1);
  expect(new Set(found).size).toBe(2);
  expect(homesOf(places.toReversed())).toEqual(homesOf(places));
});

it('a path that ends with the owner and the name of a known repository belongs to it', () => {
  const known = place('/w/app', undefined, ['acme/app']);
  expect(homes(known, place('/git/acme/app'))).toEqual({ '/w/app': 'app', '/git/acme/app': 'app' });
  expect(homes(place('/git/acme/app'), place('/w/work', 'github.com/acme/app'))).toEqual({
    ...{ '/git/acme/app': 'app', '/w/work': 'app' },
  });
  expect(new Set(Object.values(homes(known, place('/git/ben/app')))).size).toBe(2);
});

it('equal folder names of different repositories, or of none, do not share a page', () => {
  const found = homes(place('/w/cli', 'github.com/a/cli'), place('/x/cli', 'github.com/b/cli'), place('/y/cli'));
  expect(new Set(Object.values(found)).size).toBe(3);
  for (const home of Object.values(found)) expect(home).toMatch(/^cli-[0-9a-f]{4}$/);
});

it('does not depend on the order of the projects, and the rules change when a page moves', () => {
  const all = [place('/w/b', 'root:1'), place('/w/a', 'root:1'), place('/x/a', 'github.com/c/a'), place('/y/a')];
  expect(homesOf(all.toReversed())).toEqual(homesOf(all));
  expect(homeRules(homesOf(all))).not.toBe(homeRules(homesOf(all.slice(0, 2))));
  expect(homeRules(homesOf([place('/w/a'), place('/w/b')]))).toBe('');
});
