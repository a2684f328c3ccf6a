import { describe, expect, it } from 'vitest';
import { styles } from '../style.ts';
import { widthOf } from '../width.ts';
import { renderList } from './config.ts';

const view = { style: styles(false), now: 0, timeZone: 'UTC' };
const setting = (key: string, value: unknown, description: string) => ({
  key,
  value,
  origin: 'default',
  variable: 'X',
  description,
});
const settings = [
  setting('port', 37777, 'port of the worker'),
  setting('skipTools', ['a', 'b', 'c', 'd'], 'tools whose uses are not stored, because they only keep the agent busy'),
];

describe('the list of settings', () => {
  it('has a line for each setting where there is room', () => {
    const [first, second] = renderList({ file: 'config.json', settings }, { ...view, width: 120 }).split('\n');
    expect(first).toBe('port       37777        default  port of the worker');
    expect(second).toMatch(/^skipTools {2}a,b,c … \(4\) {2}default {2}tools whose .* busy$/);
  });

  it('says in words that a setting has no value', () => {
    const text = renderList(
      { file: 'config.json', settings: [setting('distill.url', null, 'address')] },
      { ...view, width: 120 },
    );
    expect(text).toMatch(/^distill\.url {2}not set {2}default/);
  });

  it('puts descriptions below the settings on a narrow terminal, and cuts nothing', () => {
    const lines = renderList({ file: 'config.json', settings }, { ...view, width: 40 }).split('\n');
    expect(lines.slice(0, 2)).toEqual(['port  37777  default', '    port of the worker']);
    const described = lines.slice(3, lines.indexOf(''));
    expect(described.map((line) => line.trim()).join(' ')).toBe(settings[1]?.description);
    for (const line of lines.slice(0, lines.indexOf(''))) expect(widthOf(line)).toBeLessThanOrEqual(40);
  });
});
