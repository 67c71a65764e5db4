import { HttpBrowser } from '../../test/support/http-browser.ts'
import { admin } from '../bench/servers.ts'

const CALLBACK = 'https://app.example/callback'

/** Registers an application and authorizes it for the administrator. @returns an access token with all scopes */
export async function createAccessToken(base: string): Promise<string> {
  const browser = new HttpBrowser(base)
  await browser.get('/accounts/login/')
  await browser.signIn(admin.username, admin.password)
  const { text } = await browser.post('/accounts/developer/', {
    name: 'Fuzzing',
    homepage: 'https://app.example/',
    callback: CALLBACK,
    description: '',
  })
  const [id = '', secret = ''] = ['id', 'secret'].map(
    (name) => new RegExp(`id="client-${name}">(\\w+)<`).exec(text)?.[1],
  )
  const query = new URLSearchParams({ response_type: 'code', client_id: id, redirect_uri: CALLBACK })
  const path = `/accounts/developer/authorize/?${query}`
  await browser.get(path)
  const { to } = await browser.post(path, [
    ['decision', 'allow'],
    ['scope', 'read'],
    ['scope', 'write'],
  ])
  const reply = await fetch(`${base}/accounts/oauth/token/`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: new URL(to!).searchParams.get('code')!,
      redirect_uri: CALLBACK,
      client_id: id,
      client_secret: secret,
    }),
  })
  return ((await reply.json()) as { access_token: string }).access_token
}
