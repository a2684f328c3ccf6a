/** How outputs report in words that a command has failed. */
export const saysExitCode = /\bexit(?:ed with)? code:? ?-?[1-9]/i;
