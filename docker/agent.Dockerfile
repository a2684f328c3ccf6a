# The image for agents if `host.sandbox` is docker: Node, the tools that agents expect, and the Claude Agent SDK with its client.
#   docker build -t holdfast-agent -f docker/agent.Dockerfile docker
FROM docker.io/library/node:22-bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates curl git jq python3 ripgrep unzip \
  && rm -rf /var/lib/apt/lists/*
RUN mkdir -p /opt/holdfast /workspace/extra /home/agent \
  && npm install --prefix /opt/holdfast --no-audit --no-fund @anthropic-ai/claude-agent-sdk@0.3.325 \
  && npm cache clean --force
ENV HOME=/home/agent
WORKDIR /workspace/group
