/** A login with a plan, as codex keeps and renews it. Pure. */

interface PlanTokens {
  readonly id_token: string;
  readonly access_token: string;
  readonly refresh_token: string;
}

/** Unsigned: codex reads only when it ends, and whose it is. */
function planTokens(endsAtSecs: number): PlanTokens {
  const account = { chatgpt_account_id: 'account-1', chatgpt_plan_type: 'pro' };
  const claims = { exp: endsAtSecs, email: 'person@test.invalid', 'https://api.openai.com/auth': account };
  const parts = [{ alg: 'none' }, claims].map((part) => encode(JSON.stringify(part)));
  const token = [...parts, encode('unsigned')].join('.');
  return { id_token: token, access_token: token, refresh_token: `refresh-token-${endsAtSecs}` };
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}

/** `auth.json` with tokens that ended long ago. */
export const endedPlanLogin = JSON.stringify({
  auth_mode: 'chatgpt',
  OPENAI_API_KEY: null,
  tokens: { ...planTokens(1_000_000_000), account_id: 'account-1' },
  last_refresh: '2001-09-09T01:46:40Z',
});

/** What the service gives for them. */
export const renewedPlanTokens = planTokens(4_000_000_000);
