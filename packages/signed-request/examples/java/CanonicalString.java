import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/** What the signature of a request is made over. With the JDK alone (17 or later). */
public class CanonicalString {
  /** Five parts, a line feed between them and none at the end; path and body exactly as they will be sent. */
  public static String of(String method, String path, String timestamp, String nonce, byte[] body) {
    return String.join("\n", method.toUpperCase(Locale.ROOT), path, timestamp, nonce, HexFormat.of().formatHex(sha256(body)));
  }

  static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException impossible) {
      throw new AssertionError("every JDK has SHA-256", impossible);
    }
  }

  private CanonicalString() {}
}
