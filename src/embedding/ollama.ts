// Ollama on this machine or another: POST /api/embed.
import { z } from 'zod';
import type { Config } from '../config/config.ts';
import type { Embedder } from './embedder.ts';
import { endpointEmbedder, type Patience } from './endpoint.ts';

const Answer = z.object({ embeddings: z.array(z.array(z.number())) });

export function ollamaEmbedder({ settings }: Pick<Config, 'settings'>, patience?: Patience): Embedder {
  const { url = 'http://127.0.0.1:11434', model = 'nomic-embed-text', key } = settings.embedding;
  return endpointEmbedder(
    {
      name: 'Ollama',
      model: `ollama ${model}`,
      address: `${url.replace(/\/+$/, '')}/api/embed`,
      key,
      batch: 32,
      request: (input) => ({ model, input }),
      answer: (body) => Answer.safeParse(body).data?.embeddings,
    },
    patience,
  );
}
