import { sql } from 'kysely'
import { type ContactSelection, type SelectedIds, selectContacts } from '../contact/members.ts'
import type { Context } from '../context.ts'
import type { Tables } from '../tables.ts'
import { findDraft } from './queries.ts'

/**
 * Adds recipients to a draft: all of them or none. A contact that is already a recipient is not added again.
 * @returns the number of added recipients
 * @throws {Problem} `email_not_found`, `email_sent`, and as `selectContacts` does
 */
export async function addRecipients(context: Context, emailId: number, selection: ContactSelection): Promise<number> {
  const email = await findDraft(context, emailId)
  const added = await insertRecipients(context, emailId, await selectContacts(context, selection))
  email.updatedAt = context.now
  await context.em.flush()
  return added
}

/**
 * Inserts any number of recipients in one statement.
 * @returns the number of added recipients
 */
export async function insertRecipients({ em }: Context, emailId: number, selected: SelectedIds): Promise<number> {
  const { numInsertedOrUpdatedRows: added } = await em
    .getKysely<Tables>()
    .insertInto('email_message')
    .columns(['email_id', 'state', 'contact_id'])
    .expression(
      selected
        .clearSelect()
        .select([sql<number>`${emailId}::bigint`.as('email_id'), sql<'added'>`'added'`.as('state'), 'contact.id'])
        .orderBy('contact.id'),
    )
    .onConflict((conflict) => conflict.columns(['email_id', 'contact_id']).doNothing())
    .executeTakeFirstOrThrow()
  return Number(added ?? 0)
}

/**
 * Removes recipients from a draft. Contacts that are not recipients are ignored.
 * @throws {Problem} `email_not_found`, `email_sent`, and as `selectContacts` does
 */
export async function removeRecipients(context: Context, emailId: number, selection: ContactSelection): Promise<void> {
  const email = await findDraft(context, emailId)
  const selected = await selectContacts(context, selection)
  await context.em
    .getKysely<Tables>()
    .deleteFrom('email_message')
    .where('email_id', '=', emailId)
    .where('contact_id', 'in', selected)
    .execute()
  email.updatedAt = context.now
  await context.em.flush()
}
