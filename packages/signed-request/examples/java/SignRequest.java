import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;
import org.bouncycastle.asn1.sec.SECNamedCurves;
import org.bouncycastle.asn1.x9.X9ECParameters;
import org.bouncycastle.crypto.digests.SHA256Digest;
import org.bouncycastle.crypto.params.ECDomainParameters;
import org.bouncycastle.crypto.params.ECPrivateKeyParameters;
import org.bouncycastle.crypto.signers.ECDSASigner;
import org.bouncycastle.crypto.signers.HMacDSAKCalculator;

/**
 * Signs a request and prints the four headers in the form that curl reads (-H @-). Needs Bouncy Castle (bcprov),
 * because the JDK does not support secp256k1 since version 16.
 *
 * <p>javac -cp bcprov.jar *.java, then
 * SVC_PRIVATE_KEY=&lt;64 hex> java -cp .:bcprov.jar SignRequest &lt;METHOD> &lt;path with query> &lt; body
 */
public class SignRequest {
  private static final X9ECParameters CURVE = SECNamedCurves.getByName("secp256k1");
  private static final ECDomainParameters DOMAIN =
      new ECDomainParameters(CURVE.getCurve(), CURVE.getG(), CURVE.getN(), CURVE.getH());

  /** Returns the compressed public key in hex. */
  static String publicKeyOf(BigInteger privateKey) {
    return HexFormat.of().formatHex(DOMAIN.getG().multiply(privateKey).getEncoded(true));
  }

  /** Returns r and s in hex, 32 bytes each: the lower of the two valid values of s, and the nonce k of RFC 6979. */
  static String sign(BigInteger privateKey, String text) {
    ECDSASigner signer = new ECDSASigner(new HMacDSAKCalculator(new SHA256Digest()));
    signer.init(true, new ECPrivateKeyParameters(privateKey, DOMAIN));
    byte[] digest = CanonicalString.sha256(text.getBytes(StandardCharsets.UTF_8));
    BigInteger[] signature = signer.generateSignature(digest);
    BigInteger lowS = signature[1].min(DOMAIN.getN().subtract(signature[1]));
    return String.format("%064x%064x", signature[0], lowS);
  }

  public static void main(String[] args) throws Exception {
    BigInteger privateKey = new BigInteger(System.getenv("SVC_PRIVATE_KEY"), 16);
    byte[] random = new byte[16];
    new SecureRandom().nextBytes(random);
    String timestamp = args.length > 3 ? args[2] : Long.toString(System.currentTimeMillis());
    String nonce = args.length > 3 ? args[3] : HexFormat.of().formatHex(random);
    String text = CanonicalString.of(args[0], args[1], timestamp, nonce, System.in.readAllBytes());
    System.out.println("x-svc-pubkey: " + publicKeyOf(privateKey));
    System.out.println("x-svc-timestamp: " + timestamp);
    System.out.println("x-svc-nonce: " + nonce);
    System.out.println("x-svc-sig: " + sign(privateKey, text));
  }
}
