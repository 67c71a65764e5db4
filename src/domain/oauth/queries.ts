import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import { Application } from './application.ts'

/** Returns the applications that the actor registered, newest first. */
export const listApplications = ({ em, actor }: Context): Promise<Application[]> =>
  em.find(Application, { owner: actor.id }, { orderBy: { id: 'desc' } })

/**
 * Returns an application that the actor registered.
 * @throws {Problem} `application_not_found`
 */
export const findApplication = ({ em, actor }: Context, id: number): Promise<Application> =>
  em.findOneOrFail(Application, { id, owner: actor.id }, { failHandler: problems.applicationNotFound })
