/** Names of tools that run a command line. */
export const shell =
  /^(?:developer__)?(?:bash|shell(?:_command)?|exec\w*|run_\w*|local_shell|terminal|run|powershell|sh)$/i;
