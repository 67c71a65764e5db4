import { generateLoginUrl } from '../../src/domain/account/one-time-token.ts'
import type { Person, World } from '../support/world.ts'

/** Creates a one-time login URL for an account, as the program of a developer does. */
export const createLoginUrl = (world: World, developer: Person, { actor, password }: Person): Promise<string> =>
  world.em().transactional(async (em) => {
    const login = { key: developer.apiKey, username: actor.username, password }
    const { url } = await generateLoginUrl({ ...world.context(), em }, login, '127.0.0.1')
    return url
  })
