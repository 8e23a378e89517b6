import { CodeBlock } from '../../../ui/code-block';
import { Tab, Tabs } from '../../../ui/tabs';

const INSTALL = 'npm install @trading-automation/sdk';

const TYPESCRIPT = `import { constructEvent } from '@trading-automation/sdk/webhooks';

export async function POST(request: Request): Promise<Response> {
  // The raw body: JSON that was parsed and serialized again fails.
  const event = constructEvent(
    await request.text(),
    request.headers,
    process.env.SVC_WEBHOOK_SECRET ?? '',
  );
  console.log(event.event_id, event.type);
  return new Response(null, { status: 204 });
}`;

const PYTHON = `import base64, hashlib, hmac, os, time

def verify(headers, body: bytes) -> None:
    secret = os.environ["SVC_WEBHOOK_SECRET"].removeprefix("whsec_")
    stamp = headers["webhook-timestamp"]
    if abs(time.time() - int(stamp)) > 300:
        raise ValueError("the timestamp is too old")
    signed = f"{headers['webhook-id']}.{stamp}.".encode() + body
    digest = hmac.digest(base64.b64decode(secret), signed, hashlib.sha256)
    expected = "v1," + base64.b64encode(digest).decode()
    if not any(hmac.compare_digest(expected, given)
               for given in headers["webhook-signature"].split(" ")):
        raise ValueError("the signature does not match")`;

/** How a receiver verifies the signature of an event. */
export function VerificationSample() {
  return (
    <Tabs label="Language" initial="typescript">
      <Tab value="typescript" label="TypeScript">
        <div className="pb-3">
          <CodeBlock label="Install command" title="Install the SDK" code={INSTALL} isWrapped />
        </div>
        <CodeBlock
          label="Verification in TypeScript"
          title="Verify the signature"
          code={TYPESCRIPT}
          isWrapped
        />
      </Tab>
      <Tab value="python" label="Python">
        <CodeBlock label="Verification in Python" title="Verify the signature" code={PYTHON} isWrapped />
      </Tab>
    </Tabs>
  );
}
