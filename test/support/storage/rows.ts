// Rows of the tables that most queries need something in, whole, so that a test says only what is its own.

/** A row of `applications` with one secret, of tenant t1 unless `more` says otherwise. */
export function applicationRow<More extends object>(id: string, more?: More) {
  return {
    id,
    public_key: `key of ${id}`,
    tenant_id: 't1',
    name: id,
    type: 'web',
    state: 'enabled',
    audience: 'any',
    require_pkce: 0,
    auth_method: 'secret',
    jwks: null,
    id_token_alg: 'RS256',
    publisher: '',
    verified: 0,
    created_by: '',
    device_codes: 'allowed',
    redirect_epochs: '',
    name_key: '',
    created_at: 1,
    updated_at: 1,
    ...more,
  }
}

/** A row of `users` without a password. */
export function userRow<More extends object>(id: string, more?: More) {
  return {
    id,
    email: `${id}@example.test`,
    email_key: `${id}@example.test`,
    email_verified: 0,
    name: id,
    state: 'enabled',
    id_provider: 'local',
    password_hash: null,
    password_changed_at: null,
    totp_secret: null,
    totp_last_step: null,
    created_at: 1,
    updated_at: 1,
    last_sign_in_at: null,
    operator: 0,
    factor_demanded_at: null,
    language: '',
    work_mail: 1,
    ...more,
  }
}
