import { describeSamples } from './samples.ts'

await describeSamples('v2', {
  unsubscribeWebhook: (owner) => {
    const subscription_url = 'https://hooks.example.com/canvass'
    return owner.post('/api/v2/webhooks/subscribe/', { json: { subscription_url, event: 'survey_create' } })
  },
  remindEmail: async (owner, world) => {
    // Deletes the webhook, so that its deliveries are not sent.
    await owner.delete('/api/v3/webhooks/5/')
    await owner.post('/api/v2/emails/5/send/')
    await world.runJobs()
  },
})
