// The permissions of the management API, in plain words for those who consent.

import type { Texts } from '../english/texts.js'

export const permissions: Texts['permissions'] = {
  'Application.Read.All': '組織に登録されているアプリケーションを読み取ります',
  'Application.ReadWrite.All': '組織のアプリケーションを登録、変更、削除し、資格情報を与えます',
  'Usage.Read.All': '組織のアプリケーションの利用状況を読み取ります',
  'Tenant.Read.All': '組織の設定を読み取ります',
  'Tenant.ReadWrite.All': '組織の設定を変更します',
  'Consent.Read.All': '組織での同意と同意のリクエストを読み取ります',
  'Consent.ReadWrite.All': '組織で同意を与え、取り消し、同意のリクエストを決定します',
  'Member.Read.All': '組織に所属する人を読み取ります',
  'Member.ReadWrite.All': '組織の人を招待、変更、削除します',
  'AuditLog.Read.All': '組織で行われたことを読み取ります',
  'Event.ReadWrite.All': '組織のイベントを他のサービスに送信します',
  'Server.Read': 'すべての組織、署名鍵、ルート、このサーバーの状態を見ます',
  'Server.ReadWrite': '組織を作成し、このサーバーの署名鍵を更新します',
}
