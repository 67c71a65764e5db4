import { endProviderSessions } from '../../../domain/single-sign-on/back-channel-logout.ts'
import { limitLogins } from '../../../domain/single-sign-on/identity.ts'
import type { Log } from '../../../lib/log.ts'
import { OpenIdError } from '../../../lib/open-id.ts'
import { formValue } from '../../forms/form-fields.ts'
import type { PageRequest, PageResult } from '../../page.ts'
import { providerOf } from './providers.ts'

/** A logout token has seven claims. */
const MAX_BODY_BYTES = 16 * 1024

/**
 * Ends the sessions of a person who has signed out at a provider. The provider sends the request, not the browser
 * (OpenID Connect Back-Channel Logout 1.0, 2.5 to 2.8).
 */
export async function receiveLogoutToken(request: PageRequest): Promise<PageResult> {
  const { context, ctx } = request
  const provider = providerOf(request)
  const token = formValue(await request.form(MAX_BODY_BYTES), 'logout_token') ?? ''
  try {
    await limitLogins(context, ctx.ip, async () => {
      const logout = await provider.client.verifyLogoutToken(token)
      const isFirst = await context.em.transactional((em) => endProviderSessions({ ...context, em }, provider, logout))
      if (!isFirst) throw new OpenIdError('invalid', 'the logout token has been used')
    })
    return { json: {} }
  } catch (error) {
    if (!(error instanceof OpenIdError)) throw error
    const log = ctx.state.log as Log | undefined
    log?.warn({ provider: provider.id, reason: error.message }, 'logout token refused')
    return { status: 400, json: { error: 'invalid_request', error_description: error.message } }
  }
}
