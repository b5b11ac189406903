// Names under which other products tell a service who calls, from where, or what to serve instead: access proxies,
// meshes, balancers, CDNs, clouds, web servers, frameworks. The gate sends none of them, so behind it they can only be
// forged. All are folded (header-names.ts), and whole: a name, or with a hyphen at its end the beginning of names.

/** Callers: single sign-on, access proxies, API gateways. */
const callers = `
affiliation auth-type auth-user authenticated- cas- cert-flags cert-issuer cert-serialnumber cert-subject eppn
http-remote-user identity impersonate- iv- logon-user mellon- ms-aspnetcore- oam- oidc- ory- osso- persistent-id
php-auth- principal remote- saml- shib- shibboleth- sm- smuser sso- ssouser tailscale- targeted-id teleport-
unscoped-affiliation user user-email user-id user-name userid username x-3scale- x-access-token x-act-as x-acting-user
x-actor x-actor- x-admin x-anonymous-consumer x-apigateway- x-apigee- x-apigw- x-apisix- x-auth-audience x-auth-email
x-auth-expiresin x-auth-group x-auth-groups x-auth-name x-auth-preferred-username x-auth-request- x-auth-role
x-auth-roles x-auth-scope x-auth-scopes x-auth-sub x-auth-subject x-auth-tenant x-auth-user x-auth-user- x-auth-userid
x-auth-userinfo x-auth-username x-authelia- x-authenticated x-authenticated- x-authentik- x-authorized- x-cas- x-claim-
x-claims x-claims- x-consumer- x-credential- x-current-user x-decoded- x-email x-endpoint-api- x-goauthentik-
x-grafana-user x-gravitee- x-group x-group- x-groups x-gw- x-hasura- x-id-token x-identity x-identity- x-impersonate
x-impersonate- x-impersonated- x-internal x-internal- x-introspect- x-is-admin x-is-admin-project x-is-authenticated
x-jwt x-jwt- x-keycloak- x-kong- x-krakend- x-kratos- x-ldap- x-logged-in-user x-login x-lua-resty- x-member-role
x-oathkeeper- x-oauth- x-oidc- x-okta-user x-on-behalf-of x-openid- x-org-role x-permission x-permissions x-ping-
x-pomerium- x-portcullis x-principal x-principal- x-project-domain-id x-project-domain-name x-project-id x-project-name
x-refresh-token x-remote x-remote- x-role x-role- x-roles x-saml- x-scope x-scope- x-scopes x-serverless-authorization
x-service-catalog x-session-user x-sso- x-sub x-subject x-subject- x-sudo x-system-scope x-teleport- x-tenant x-tenant-
x-token-claims x-trusted- x-tyk- x-user x-user- x-useremail x-userid x-userinfo x-username x-userroles x-verified-
x-vouch- x-webauth- x-wso2- x-zitadel- x-zscaler-`

/**
 * Certificates of clients that others verified (RFC 9440 §2.4: the endpoint that ends TLS removes them), and that there
 * was TLS at all.
 */
const certificates = `
client-cert client-cert- front-end-https ssl- tls-client- x-cert- x-certificate x-certificate- x-client-cert
x-client-cert- x-client-certificate x-client-cn x-client-dn x-client-fingerprint x-client-i-dn x-client-issuer
x-client-s-dn x-client-san x-client-serial x-client-spiffe x-client-ssl x-client-ssl- x-client-subject x-client-tls-
x-client-verified x-client-verify x-clientcert x-forwarded-proto x-https x-mtls- x-nginx-ssl- x-peer- x-peer-cert
x-proto x-scheme x-spiffe- x-ssl x-ssl- x-svid x-tls x-tls- x-url-scheme`

/** Meshes, clouds and CDNs: callers, addresses and certificates as they tell them. */
const clouds = `
akamai- ali-cdn- cdn-real-ip cdn-src-ip cf- cloudfront- dapr- do-connecting-ip fastly-client fastly-client- fastly-ff
fastly-ssl fly- incap-client-ip kong- l5d- linkerd- netlify- ns-client-ip rlnclientipaddr rndr- true-client- wl-proxy-
x-akamai- x-ambassador- x-amzn-apigateway- x-amzn-lambda- x-amzn-mtls- x-amzn-oidc- x-amzn-request-context x-amzn-tls-
x-amzn-vpce- x-appengine- x-appgw- x-arr- x-azure- x-bluecoat- x-bunny- x-client-geo- x-client-region x-cloudscheduler
x-cloudscheduler- x-cloudtasks- x-dapr- x-envoy- x-ext-authz- x-fastly- x-fd- x-fly- x-forwarded-client-cert x-gfe-
x-goog-authenticated-user- x-goog-iap- x-google-apps- x-heroku- x-istio- x-kuma- x-linkerd- x-ms-client-principal
x-ms-client-principal- x-ms-containerapp- x-ms-proxy x-ms-token- x-nf- x-ngrok- x-railway- x-site-deployment-id
x-sucuri- x-vercel- x-waws- x-yandex-cloud-`

/** From where: every spelling of a client's address and of the way here. */
const addresses = `
client-ip coming-from forwarded forwarded-for forwarded-for-ip http-client-ip http-forwarded http-x-forwarded-for
original-client-ip proxy proxy- real-ip via x-backend-host x-client-addr x-client-address x-client-host x-client-ip
x-client-ips x-client-port x-cluster- x-cluster-client-ip x-coming-from x-connecting-ip x-custom-ip-authorization
x-forward x-forward- x-forwarded x-forwarded- x-from-ip x-ip x-ip-trail x-orig-client-ip x-origin-ip x-original-
x-originating- x-proxy- x-proxyuser-ip x-real- x-real-ip x-remote-addr x-remote-ip x-sender-ip x-true- x-true-ip x-wap-
z-forwarded-for`

/** What to serve instead: other paths, hosts and methods, and files that a web server is told to send. */
const instead = `
base-url disguised-host http-host http-url path-info redirect-url request-uri script-name surrogate-capability
was-default-hostname x-accel- x-api-prefix x-base-path x-context-path x-external-path x-host x-host-
x-http-destinationurl x-http-host-override x-http-method x-http-method- x-http-method-override x-ingress-path x-invoke-
x-litespeed- x-matched-path x-method-override x-middleware- x-nextjs-matched-path x-now-route-matches x-override-
x-path-info x-rack- x-reproxy- x-request-uri x-request-url x-rewrite x-rewrite- x-script-name x-sendfile x-sendfile-
x-server-name x-sub-path x-uri x-url x-url- x-varnish-`

const all = [callers, certificates, clouds, addresses, instead]
  .join(' ')
  .split(/\s+/)
  .filter((name) => name !== '')
const whole = new Set(all.filter((name) => !name.endsWith('-')))
const beginnings = new Set(all.filter((name) => name.endsWith('-')))

/** Whether a folded name is one of these, or begins as one of them does. */
export function isUpstreamIdentity(folded: string): boolean {
  if (whole.has(folded)) return true
  // Names come in any number, so each is cut where its words end instead of being held against every beginning.
  for (let end = folded.indexOf('-'); end !== -1; end = folded.indexOf('-', end + 1)) {
    if (beginnings.has(folded.slice(0, end + 1))) return true
  }
  return false
}
