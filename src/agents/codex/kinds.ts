// Known kinds of lines that yield nothing. Any other kind counts as unknown.
import { asObject } from '../json.ts';

export const idleLines = new Set(
  'compacted world_state token_usage_record inter_agent_communication inter_agent_communication_metadata security_risk_score dynamic_tools_updated'.split(
    ' ',
  ),
);

export const idleItems = new Set(
  (
    'reasoning tool_search_call tool_search_output image_generation_call compaction compaction_trigger context_compaction compaction_summary ' +
    'agent_message ghost_snapshot other local_shell_call_output additional_tools configuration_update'
  ).split(' '),
);

export const idleEvents = new Set(
  (
    'agent_message agent_reasoning agent_reasoning_raw_content agent_reasoning_section_break token_count task_started task_complete ' +
    'turn_started turn_complete turn_aborted context_compacted entered_review_mode exited_review_mode web_search_begin web_search_end ' +
    'exec_command_begin patch_apply_begin mcp_tool_call_begin thread_settings_applied thread_goal_updated plan_update ' +
    'turn_diff background_event stream_error warning guardian_warning error model_reroute image_generation_begin image_generation_end ' +
    'view_image_tool_call undo_started undo_completed session_configured shutdown_complete item_started collab_agent_spawn_begin ' +
    'collab_agent_spawn_end collab_agent_interaction_begin collab_agent_interaction_end collab_waiting_begin collab_waiting_end ' +
    'collab_close_begin collab_close_end collab_resume_begin collab_resume_end dynamic_tool_call_request dynamic_tool_call_response ' +
    'request_user_input exec_approval_request apply_patch_approval_request hook_started hook_completed sub_agent_activity ' +
    'environment_connected environment_disconnected thread_queue_changed auth_recovery_started auth_recovery_completed ' +
    'turn_moderation_metadata safety_buffering model_verification deprecation_notice guardian_assessment mcp_startup_update ' +
    'mcp_startup_complete terminal_interaction patch_apply_updated exec_command_output_delta raw_response_item raw_response_completed'
  ).split(' '),
);

export const idleThreadItems = new Set(
  (
    'AgentMessage Reasoning CollabAgentToolCall WebSearch Plan ContextCompaction ImageView ImageGeneration HookPrompt EnteredReviewMode ' +
    'ExitedReviewMode DynamicToolCall SubAgentActivity Sleep'
  ).split(' '),
);

const retelling: ReadonlySet<unknown> = new Set(
  'compacted world_state compaction context_compaction compaction_summary ghost_snapshot plan_update thread_goal_updated turn_diff'.split(
    ' ',
  ),
);

/** Summaries, plans and lists of files, which may tell of earlier turns. */
export function retells(line: Readonly<Record<string, unknown>>): boolean {
  const payload = asObject(line.payload);
  return [line.type, payload.type].some((kind) => retelling.has(kind)) || asObject(payload.item).type === 'Plan';
}
