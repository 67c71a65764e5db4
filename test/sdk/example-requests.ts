import { readFileSync } from 'node:fs'
import { type Contract, callOf, type Json, type Method } from '../../scripts/samples/operation.ts'
import { versions } from '../../scripts/versions.ts'
import { hashOf } from '../../src/domain/group/colleague-invitations.ts'
import type { Tables } from '../../src/domain/tables.ts'
import type { RequestOptions } from '../support/client.ts'
import { png } from '../support/images.ts'
import { makeWorkbook, WORKBOOK_TYPE } from '../support/workbook.ts'
import type { Person, World } from '../support/world.ts'

/** A request of an operation with the values of its examples, which exist in the example world. */
export interface ExampleRequest {
  version: string
  operationId: string
  address: string
  sent: RequestOptions
  /** Names of the headers that the operation reads. */
  headers: string[]
  contract: Contract
}

/** The XLSForm that the samples of the operation convertXlsform send. */
export const householdForm = await makeWorkbook({
  survey: [
    ['type', 'name', 'label'],
    ['integer', 'members', 'How many people live here?'],
    ['geopoint', 'place', 'Where?'],
  ],
  settings: [['form_title'], ['Household survey']],
})

/** The file that the samples of the operations importSurvey and previewImport send. */
export const surveyOfAnotherTool = JSON.stringify({
  title: 'Customer feedback',
  pages: [{ name: 'one', elements: [{ type: 'text', name: 'why', title: 'Why?' }] }],
})

/** Returns the body of an example with its type. */
function bodyOf(operationId: string, contentType: string | undefined, body: Json | undefined): RequestOptions {
  const headers = { 'content-type': contentType ?? '' }
  if (operationId === 'createImage') return { body: png(120), headers }
  if (contentType === WORKBOOK_TYPE) return { body: householdForm, headers }
  if (contentType === 'application/octet-stream') return { body: String(body), headers }
  return contentType === 'text/csv' ? { body: String(body), headers } : { json: body }
}

const queries = JSON.parse(readFileSync('openapi/samples/queries.json', 'utf8'))

/** Returns the requests of all operations with a method, in both versions. */
export const exampleRequests = (method: Method): ExampleRequest[] =>
  versions.flatMap((version) => {
    const contract: Contract = JSON.parse(readFileSync(`generated/${version}/openapi.json`, 'utf8'))
    return Object.entries(contract.paths).flatMap(([path, item]) => {
      const operation = item[method]
      if (!operation) return []
      const { operationId, pathValues, query, body, contentType } = callOf(
        version,
        contract,
        path,
        method,
        method === 'get' ? {} : queries[version]?.[operation.operationId],
      )
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(pathValues[name])))
      const search = new URLSearchParams(query as Record<string, string>).toString()
      const sent = bodyOf(operationId, contentType, body)
      const parameters = (operation.parameters ?? []).map(
        (one) => (one.$ref ? contract.components.parameters![one.$ref.split('/').at(-1)!] : one) as typeof one,
      )
      const headers = parameters.filter((one) => one.in === 'header').map(({ name }) => name)
      const address = `/api/${version}${filled}${search && `?${search}`}`
      return [{ version, operationId, address, sent: contentType ? sent : {}, headers, contract }]
    })
  })

async function sendEmail(owner: Person, world: World): Promise<void> {
  // Deletes the webhook, so that its deliveries are not sent.
  await owner.delete('/api/v3/webhooks/5/')
  await owner.post('/api/v2/emails/5/send/')
  await world.runJobs()
}

/** Invites the owner to a survey of another account, with the key of the example. */
async function inviteOwner(owner: Person, world: World): Promise<void> {
  const other = await world.person()
  const survey = (await other.post('/api/v3/surveys/', { json: { name: 'Lunch' } })).body.id
  const json = { email: owner.actor.email, roles: 'view' }
  const { id } = (await other.post(`/api/v3/surveys/${survey}/team/invitations/`, { json })).body
  const hash = hashOf(world.context(), 'pM0vYFbPmaYq8WQ1lG6n5Ty7s2KcRx4uEoJdAhZiVNw')
  await world.em().getKysely<Tables>().updateTable('colleague_invitation').set({ hash }).where('id', '=', id).execute()
}

/**
 * Functions that change the example world before an operation, by operation ID. They are needed where the examples of
 * two operations require different data.
 */
export const setup: Record<string, (owner: Person, world: World) => Promise<unknown>> = {
  acceptColleagueInvitation: inviteOwner,
  deleteUser: async (owner) => {
    // The account is not deleted while other people work on its surveys.
    await owner.delete('/api/v3/surveys/14/groups/?group=3')
    await owner.delete('/api/v3/surveys/14/team/3/')
  },
  declineColleagueInvitation: inviteOwner,
  unsubscribeWebhook: (owner) =>
    owner.post('/api/v2/webhooks/subscribe/', {
      json: { subscription_url: 'https://hooks.example.com/canvass', event: 'survey_create' },
    }),
  remindEmail: sendEmail,
  resendSurveyEmail: sendEmail,
  removeFilter: (owner) => owner.post('/api/v3/surveys/14/filters/', { json: { name: 'late reds', query: 'q1=2' } }),
}
