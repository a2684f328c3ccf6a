# MCP for Claude Code without Node until a tool is called: this script describes the server from files that the build has made, so
# that no session waits for Node. At the first other line, Node takes over: it gets that line, and what was answered before it.
# Run as: sh holdfast-mcp.sh <node> <holdfast> <folder of answers>
node=$1 cli=$2 answers=$3
[ -x "$node" ] || node=node

# $1: the request; $2: the revision of the protocol. Fails if no file has the answer.
answer() {
  case $line in *'"cursor"'*) return 1 ;; esac
  case $2 in '' | *[!0-9-]*) return 1 ;; esac
  case $id in '' | *[!0-9A-Za-z_\"-]*) return 1 ;; esac
  [ -r "$answers/$1-$2.json" ] || return 1
  printf '{"jsonrpc":"2.0","id":%s,"result":' "$id"
  cat "$answers/$1-$2.json"
  printf '}\n'
}

said= revision=
while IFS= read -r line; do
  # No request that has an answer here is longer, and a shell needs quadratic time to scan a line.
  [ ${#line} -gt 4000 ] && break
  named=${line#*'protocolVersion":"'}
  named=${named%%\"*}
  # These answers are for Claude Code: other clients get more.
  case $line in *'"name":"claude-code"'*) ours=true ;; *) ours=false ;; esac
  case $line in
    '{"jsonrpc":"2.0","id":'*',"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/'*)
      id=${line#'{"jsonrpc":"2.0","id":'}
      id=${id%%,\"method\":*}
      $ours && answer discover "$named" && continue
      ;;
    '{"method":"tools/list","jsonrpc":"2.0","id":'*',"params":{"_meta":{"io.modelcontextprotocol/'*)
      id=${line#'{"method":"tools/list","jsonrpc":"2.0","id":'}
      id=${id%%,\"params\":*}
      $ours && answer tools "$named" && continue
      ;;
    '{"method":"initialize","params":{"protocolVersion":"'*',"jsonrpc":"2.0","id":'*'}')
      id=${line##*,\"id\":}
      id=${id%\}}
      $ours && answer initialize "$named" && revision=$named said=$line && continue
      ;;
    '{"method":"notifications/initialized","jsonrpc":"2.0"}')
      [ -n "$revision" ] && said="$said
$line" && continue
      ;;
    '{"method":"tools/list","jsonrpc":"2.0","id":'*'}')
      id=${line#'{"method":"tools/list","jsonrpc":"2.0","id":'}
      id=${id%\}}
      answer tools "$revision" && continue
      ;;
  esac
  break
done
[ -n "$line" ] || exit 0
export HOLDFAST_MCP_SAID="$said"
# The system accepts no longer variable than this.
if [ ${#line} -gt 30000 ]; then
  { printf '%s\n' "$line"; exec cat; } | exec "$node" "$cli" mcp
else
  export HOLDFAST_MCP_LINE="$line"
  exec "$node" "$cli" mcp
fi
