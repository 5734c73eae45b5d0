/** The tests of the ancestor that concern the runner and its eval harness, by group: each has a counterpart here whose title names it. */

export const ancestorTests: Readonly<Record<string, readonly string[]>> = {
  immutability: [
    'allows_identical_passed_nodes',
    'reports_missing_passed_node',
    'reports_parent_move',
    'reports_changed_node',
    'allows_open_node_edits_and_removals',
  ],
  path: ['node_path_returns_root_for_root_id'],
  selector: ['leftmost_open_leaf_traversal_cases', 'is_stuck_edge_cases'],
  apply_state_updates: [
    'overwrites_runner_owned_fields',
    'sets_pass_and_derives_internal_passes',
    'increments_attempts_on_guard_fail',
    'saturates_attempts_at_max',
    'errors_on_missing_selected_id',
    'resets_new_nodes',
    'decompose_does_not_mark_pass',
    'happy_path_transition',
    'increments_attempts_on_retry',
    'retry_saturates_attempts_at_max',
  ],
  status_validator: [
    'decomposed_requires_children_added',
    'done_rejects_children_added',
    'retry_rejects_children_added',
    'decomposed_allows_children_added',
    'errors_when_selected_missing',
  ],
  config: ['load_missing_returns_default', 'write_then_load_round_trips', 'config_fixture_loads'],
  context: ['context_rewrite_clears_previous_files', 'context_renders_optional_sections'],
  executor: ['execute_and_load_reads_output', 'execute_and_load_errors_on_missing_output'],
  git: ['parses_untracked_line', 'parses_modified_line', 'parses_rename_line_uses_new_path'],
  goal: [
    'reads_id_from_frontmatter',
    'ensure_goal_id_inserts_frontmatter_when_missing',
    'set_frontmatter_id_updates_existing_id',
    'validate_id_rejects_slash',
  ],
  guards: ['guards_skip_when_not_done', 'guards_run_when_done'],
  init: [
    'init_creates_expected_layout',
    'init_without_force_refuses_existing_runner_dir',
    'init_with_force_rewrites_placeholders',
  ],
  iteration_log: ['iteration_paths_are_stable', 'writes_iteration_logs_with_guard_failure'],
  prompt: ['prompt_ordering_is_stable', 'budget_drops_less_critical_sections_first'],
  run_state: ['run_state_round_trips', 'run_state_defaults_are_deterministic'],
  tree_store: ['load_and_write_tree_round_trip'],
  looping: ['loop_stops_on_complete_without_calling_step_again', 'loop_stops_on_max_iterations_exceeded'],
  select: [
    'select_returns_open_leaf',
    'select_returns_stuck_leaf',
    'select_returns_complete_when_no_open_leaf',
  ],
  start: ['start_creates_branch_sets_goal_id_and_commits'],
  step: [
    'step_updates_run_state_and_tree_on_retry',
    'step_marks_done_and_writes_guard_log',
    'step_replays_failure_context_after_guard_fail',
    'runner_errors_do_not_propagate_to_agent_context',
    'step_accepts_decomposition',
    'step_retries_then_done_writes_history_and_guards',
    'step_hard_stops_on_stuck_leaf',
    'step_errors_when_decomposed_without_children',
    'step_detects_passed_node_immutability_violation',
  ],
  validate: [
    'validate_ok_when_run_not_started',
    'validate_ok_when_run_started_and_matches',
    'validate_errors_on_goal_id_mismatch',
    'validate_errors_on_branch_mismatch',
    'validate_errors_on_missing_layout',
  ],
  cli_select: ['select_complete_exits_with_complete_code'],
  harness_lifecycle: [
    'full_lifecycle_completes_tree_with_retries',
    'guard_fail_reselection_loop',
    'decomposition_changes_selection_path',
    'resumption_from_saved_state',
  ],
  eval_case: ['parses_valid_case', 'rejects_invalid_id', 'rejects_malformed_checks'],
  eval_config: ['preserves_guard_when_no_override', 'applies_guard_override'],
  eval_harness: ['runner_binary_path_is_deterministic'],
  eval_judge: [
    'file_exists_passes',
    'command_succeeds_passes_and_fails',
    'command_output_is_truncated',
    'runner_completed_reflects_exit_code',
  ],
  eval_outcome: [
    'success_when_complete_and_checks_pass',
    'fail_when_complete_but_checks_fail',
    'stuck_when_runner_stuck',
    'error_when_runner_error_or_unknown',
  ],
  eval_report: ['aggregates_runs'],
  eval_results: ['results_dir_is_stable', 'copies_artifacts_when_present'],
  eval_run: ['eval_run_id_format'],
  eval_workspace: [
    'workspace_name_uses_expected_format',
    'creates_workspace_with_justfile',
    'creates_workspace_without_justfile',
  ],
};

/** A title says `[ancestor: group name]`; two groups put their own name in front of each test's. */
export function listAncestorNames(testText: string): string[] {
  return [...testText.matchAll(/\[ancestor: ([^\]]+)\]/g)]
    .map((match) =>
      (match[1] ?? '')
        .split(/[ :]/)
        .at(-1)
        ?.replace(/^(?:apply_state_updates|immutability)_/, ''),
    )
    .filter((name) => name !== undefined);
}
