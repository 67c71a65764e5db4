import { randomBytes } from 'node:crypto'
import { send } from './http.ts'

/**
 * Creates an account.
 * @param auth the credentials of the administrator
 * @returns its credentials
 */
export async function createAccount(base: string, auth: string): Promise<string> {
  const username = `user${randomBytes(6).toString('hex')}`
  const form = { username, email: `${username}@example.org` }
  const { status, text } = await send(`${base}/api/v2/users/`, { method: 'POST', auth, form })
  if (status !== 200) throw new Error(`cannot create an account: ${status} ${text}`)
  return `${username}:${JSON.parse(text).password}`
}
