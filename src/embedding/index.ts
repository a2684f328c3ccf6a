// The table of embedders: what the setting `embedding.kind` can name.
import type { Config } from '../config/config.ts';
import { builtInEmbedder } from './built-in.ts';
import type { Embedder } from './embedder.ts';
import { miniLm } from './minilm.ts';
import { miniLmEmbedder } from './minilm-beside.ts';
import { ollamaEmbedder } from './ollama.ts';
import { openAiCompatibleEmbedder } from './openai-compatible.ts';
import { staticEmbedder } from './static.ts';

type Kind = Config['settings']['embedding']['kind'];

const embedders: Readonly<Record<Kind, (config: Config) => Embedder | undefined>> = {
  'built-in': builtInEmbedder,
  static: staticEmbedder,
  minilm: (config) => miniLmEmbedder(miniLm(config)),
  'openai-compatible': openAiCompatibleEmbedder,
  ollama: ollamaEmbedder,
  none: () => undefined,
};

/** The embedder that the settings want; undefined when they want none. Cheap: the first text loads what it needs. */
export const openEmbedder = (config: Config): Embedder | undefined => embedders[config.settings.embedding.kind](config);

/** The model of `roughVectors`, if the settings want it: any thread can compute its first vectors. */
export const roughModel = (config: Config): string | undefined =>
  config.settings.embedding.kind === 'built-in' ? openEmbedder(config)?.model : undefined;

/** The embedder for stored vectors of a model: the one that the settings want, or one of the two in the package, which are always there. */
export function embedderOf(config: Config, model: string): Embedder | undefined {
  const wanted = openEmbedder(config);
  if (wanted === undefined || wanted.model === model) return wanted;
  return [builtInEmbedder, staticEmbedder].map((open) => open()).find((embedder) => embedder.model === model);
}
