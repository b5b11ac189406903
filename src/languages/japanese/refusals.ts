// What the rooms below refuse, in Japanese.

import type { Texts } from '../english/texts.js'

export const refusals: Texts['refusals'] = {
  NoPassword: 'このアカウントにはパスワードがありません。',
  WrongPassword: '現在のパスワードと一致しません。',
  WrongCode: 'コードが正しくないか、有効期限が切れています。',
  InvalidEmail: 'メールアドレスの形式が正しくありません。',
  EmailTaken: 'このメールアドレスはすでに使われています。',
  OtherPerson: 'この招待は別のメールアドレスに宛てたものです。そのアドレスでサインインしてください。',
  HasOwner: 'すでに所有者がいます。所有者に招待を依頼してください。',
  AlreadyMember: 'この人はすでに組織のメンバーです。',
  TenantDisabled: 'この組織は無効になっています。',
  TenantNeeded: '組織の名前を入力してください。',
  UserDisabled: 'このアカウントは無効になっています。',
  SessionNotFound: 'このセッションは終了しています。',
  PasskeyNotFound: 'そのパスキーはありません。',
  NoSecondFactor: '2つ目の要素が設定されていません。',
  SecondFactorExists: '2つ目の要素はすでに設定されています。',
  ProviderNotLinked: 'このプロバイダーは連携されていません。',
  LinkedBefore:
    'この組織は、あなたが以前に自分で連携したプロバイダーでのサインインを認めています。アカウントのページで連携を解除し、このリンクをもう一度開いて、プロバイダーへのリンクを管理者に依頼してください。',
  OtherAddress:
    'このリンクの対象であるアドレスを、プロバイダーが確認していません。そのアカウントでサインインするか、別のアドレスのリンクを依頼してください。',
  ProviderNotTaken: 'あなたの組織では、このプロバイダーでのサインインを使えません。',
  TenantKeepsLink:
    '所属する組織の1つがこのプロバイダーでのサインインを認めているため、連携できるのはその組織の管理者だけです。管理者に依頼してください。',
  SecondFactorRequired: 'このアカウントには2つ目の要素が必要です。これを削除する前に、別のものを設定してください。',
  OnlyWayIn: 'これが唯一のサインイン方法です。先にパスキーを追加してください。',
  password: {
    short: (least) => `パスワードは${least}文字以上にしてください。`,
    long: (most) => `パスワードは${most}バイト以内にしてください。`,
    common:
      'このパスワードは、真っ先に試されるものの1つです。互いに関係のない単語をいくつか並べるなど、別のパスワードを選んでください。',
    personal:
      'パスワードには、メールアドレスやその一部、あなたの名前、組織の名前、このサービスの名前を含めることはできません。',
    leaked: 'このパスワードは、漏えいしたパスワードの一覧に載っています。別のパスワードを選んでください。',
  },
}
