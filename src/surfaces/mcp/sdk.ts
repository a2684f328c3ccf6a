// What we use of the SDK, in one place: the build bundles it into one file, which only MCP processes load.
export {
  CLIENT_INFO_META_KEY,
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server';
export { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
