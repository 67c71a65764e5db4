import { ConfigError } from '../config.ts'
import { randomCode } from '../lib/secrets.ts'
import { progressBar } from '../lib/terminal.ts'
import { createDemo } from './demo.ts'
import { withService } from './service.ts'

/** `seed [responses]`: creates a demonstration account with a survey and this number of responses. */
export async function run(count: string): Promise<void> {
  const responses = Number(count)
  if (!Number.isInteger(responses) || responses < 0 || responses > 10_000_000)
    throw new ConfigError(
      `The number of responses must be from 0 to 10000000, not "${count}". Example: canvass seed 1000`,
    )
  await withService(async ({ orm, services }) => {
    const context = { em: orm.em.fork(), now: new Date(), services }
    const username = `demo-${randomCode(5).toLowerCase()}`
    const { password, apiKey, surveyId } = await createDemo(
      context,
      username,
      responses,
      progressBar('responses', responses),
    )
    console.log(`username   ${username}\npassword   ${password}\nAPI key    ${apiKey}\nsurvey     ${surveyId}`)
  })
}
