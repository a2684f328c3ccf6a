/** Names of tools that run a command line. */
export const shell = /^(?:bash|shell|exec\w*|run_\w*|local_shell|terminal|run|powershell|sh)$/i;
