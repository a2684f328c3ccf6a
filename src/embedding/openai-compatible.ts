// Any service that speaks OpenAI's protocol: OpenAI, OpenRouter, LM Studio, llama.cpp, vLLM … POST <url>/embeddings.
import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { HoldfastError } from '../system/errors.ts';
import type { Embedder } from './embedder.ts';
import { endpointEmbedder, type Patience } from './endpoint.ts';

const Answer = z.object({ data: z.array(z.object({ index: z.int().optional(), embedding: z.array(z.number()) })) });

export function openAiCompatibleEmbedder({ settings }: Pick<Config, 'settings'>, patience?: Patience): Embedder {
  const { url, model, key } = settings.embedding;
  if (url === undefined || model === undefined) {
    const lacking = url === undefined ? 'embedding.url' : 'embedding.model';
    throw new HoldfastError('BAD_INPUT', `embedding.kind is openai-compatible, but ${lacking} is not set`, {
      hint: `holdfast config set ${lacking} ${url === undefined ? 'https://api.openai.com/v1' : 'text-embedding-3-small'}`,
    });
  }
  return endpointEmbedder(
    {
      name: 'The embedding endpoint',
      model: `openai-compatible ${model}`,
      address: `${url.replace(/\/+$/, '')}/embeddings`,
      key,
      batch: 64,
      request: (input) => ({ model, input, encoding_format: 'float' }),
      answer(body) {
        const data = Answer.safeParse(body).data?.data;
        return data?.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0)).map(({ embedding }) => embedding);
      },
    },
    patience,
  );
}
