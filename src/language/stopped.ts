// Whether the result of a tool says that the person refused or stopped it. That is no failure of the tool.

const refused = /doesn't want to (?:proceed|take this action)|was rejected|^\[Request interrupted/;
const aborted =
  /^(?:<tool_use_error>)?Cancelled: |(?:^|\n)[^\S\n]*(?:command|tool|tool call|operation|execution|request) (?:was |has been )?(?:aborted|interrupted|cancell?ed)\b[^\n]{0,40}\s*$|\b(?:aborted|interrupted|cancell?ed) by (?:the )?(?:user|person)\b/i;
/** Words of a program that reports an error. */
const reported =
  /\b(?:errors?|fatal|exit(?:ed)?|failed|fails|failure|hint|usage|warning|denied|not found|no such|invalid|cannot|unknown|timeout|timed out|exceeds?|maximum)\b|^\W|[{}<>|$]|\w:\d|: \S+:/im;
const addressed = /\b(?:please|pls|let's|lets|we|i|you|wait|don'?t|instead|should|actually|maybe)\b/i;

/** Some clients give the person's remark as the result of a tool that they refused: a short text that speaks to the agent. */
const isRemark = (output: string): boolean => {
  const text = output.trim();
  return (
    text.length <= 400 &&
    text.split('\n').length <= 3 &&
    text.split(/\s+/).length >= 4 &&
    addressed.test(text) &&
    !reported.test(text)
  );
};

/** For the output of a tool whose outcome is an error. */
export const wasStopped = (output: string): boolean => refused.test(output) || aborted.test(output) || isRemark(output);
