import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SignatureException;
import java.time.Instant;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Verifies a webhook. Needs only JDK 17 or later.
 *
 * <p>SVC_WEBHOOK_SECRET=whsec_… java VerifyWebhook.java &lt;webhook-id> &lt;webhook-timestamp> &lt;webhook-signature> &lt; body
 */
public class VerifyWebhook {
  private static final long TOLERANCE_SECONDS = 300;

  /** Throws unless the webhook is genuine. Pass the raw body: parsed and re-serialised JSON fails. */
  public static void verify(
      byte[] body, String id, String timestamp, String signature, String secret, Instant now)
      throws GeneralSecurityException {
    if (isMissing(id) || isMissing(signature) || isMissing(timestamp) || !timestamp.matches("[1-9][0-9]{0,11}"))
      throw new SignatureException("a webhook header is missing or malformed");
    if (Math.abs(now.getEpochSecond() - Long.parseLong(timestamp)) > TOLERANCE_SECONDS)
      throw new SignatureException("the timestamp is more than 300 s from this clock");
    byte[] key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
    String expected = "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
    // There may be several signatures, separated by spaces: one of them must match. The comparison takes constant time.
    for (String candidate : signature.split(" "))
      if (MessageDigest.isEqual(candidate.getBytes(StandardCharsets.UTF_8), expected.getBytes(StandardCharsets.UTF_8)))
        return;
    throw new SignatureException("no signature matches");
  }

  private static boolean isMissing(String header) {
    return header == null || header.isEmpty();
  }

  public static void main(String[] args) throws Exception {
    Instant now = args.length > 3 ? Instant.ofEpochSecond(Long.parseLong(args[3])) : Instant.now();
    try {
      verify(System.in.readAllBytes(), args[0], args[1], args[2], System.getenv("SVC_WEBHOOK_SECRET"), now);
      System.out.println("genuine");
    } catch (SignatureException error) {
      System.err.println(error.getMessage());
      System.exit(1);
    }
  }
}
