import type { Reply } from './client.ts'
import { Visitor } from './http-browser.ts'
import type { Person, World } from './world.ts'

/** An application as its developer knows it. */
export interface Registered {
  id: string
  clientId: string
  secret: string
  callback: string
}

export const CALLBACK = 'https://app.example/callback'

/** Somebody in front of a browser without scripts, signed in. */
export async function visitorOf(world: World, person: Person): Promise<Visitor> {
  const visitor = new Visitor(world.base)
  await visitor.signIn(person.actor.username, person.password)
  return visitor
}

/** Registers an application on its page. */
export async function registered(
  world: World,
  { owner, callback = CALLBACK, name = 'Tea Counter' }: { owner?: Person; callback?: string; name?: string } = {},
): Promise<Registered> {
  const visitor = await visitorOf(world, owner ?? (await world.person()))
  const { text } = await visitor.post('/accounts/developer/', {
    name,
    homepage: 'https://app.example/',
    callback,
    description: '',
  })
  const found = (pattern: RegExp) => pattern.exec(text)?.[1] ?? ''
  return {
    id: found(/action="\/accounts\/developer\/(\d+)\/"/),
    clientId: found(/id="client-id">(\w+)</),
    secret: found(/id="client-secret">(\w+)</),
    callback,
  }
}

/** The address that an application sends people to. */
export const authorizePath = (query: Record<string, string>) =>
  `/accounts/developer/authorize/?${new URLSearchParams(query)}`

/** What an old client asks with: nothing that it could leave out. */
export const plainQuery = ({ clientId, callback }: Registered) => ({
  response_type: 'code',
  client_id: clientId,
  redirect_uri: callback,
})

/** Lets an application in, on the page. @returns the address that the browser is sent to */
export async function letIn(
  visitor: Visitor,
  query: Record<string, string>,
  scope: string[] = (query.scope ?? 'read write').split(' '),
): Promise<URL> {
  const path = authorizePath(query)
  await visitor.get(path)
  const { to } = await visitor.post(path, [
    ['decision', 'allow'],
    ...scope.map((one): [string, string] => ['scope', one]),
  ])
  return new URL(to!)
}

/** A code for somebody's account, as an old client gets it. */
export async function codeFor(
  world: World,
  app: Registered,
  person: Person,
  more: Record<string, string> = {},
): Promise<string> {
  const back = await letIn(await visitorOf(world, person), { ...plainQuery(app), ...more })
  return back.searchParams.get('code')!
}

/** Posts to the token endpoint as old clients do: a plain form with id and secret in it. */
export const askToken = (world: World, app: Registered, form: Record<string, string>): Promise<Reply> =>
  world.nobody.post('/accounts/oauth/token/', {
    form: { client_id: app.clientId, client_secret: app.secret, ...form },
  })

/** Exchanges a code. */
export const redeem = (world: World, app: Registered, code: string, more: Record<string, string> = {}) =>
  askToken(world, app, { grant_type: 'authorization_code', code, redirect_uri: app.callback, ...more })

export const refresh = (world: World, app: Registered, token: string, more: Record<string, string> = {}) =>
  askToken(world, app, { grant_type: 'refresh_token', refresh_token: token, ...more })

/** Everything from the page to the token. */
export async function tokensFor(world: World, app: Registered, person: Person, scope = 'read write') {
  const { body } = await redeem(world, app, await codeFor(world, app, person, { scope }))
  return body as { access_token: string; refresh_token: string; scope: string; expires_in: number }
}

/** The status with which the API answers a token. */
export const statusWith = async (world: World, token: string, path = '/api/v3/surveys/') =>
  (await world.nobody.get(path, { headers: { authorization: `Bearer ${token}` } })).status
